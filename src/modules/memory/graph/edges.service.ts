import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { EdgeAddress, EdgeList, EdgeRecord, EdgeReply, EdgesQuery, StoreEdge } from './edges.dto.js';
import { EdgesStore, keyOf } from './edges.store.js';
import { EdgeUnknown } from './graph.problems.js';
import type { Edge } from './graph.types.js';

/**
 * Edges of the caller's tenant. They may name entities that are not stored: what comes first is for the writer to
 * choose.
 */
@Injectable()
export class EdgesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: EdgesStore,
    private readonly outbox: Outbox,
  ) {}

  async record(caller: DaemonCaller, { payload, ...edge }: StoreEdge): Promise<EdgeReply> {
    const written = { ...edge, payload, actor: caller.principal, event: uuid() };
    const stored = await this.tenants.writeAlone(caller, undefined, (tenant, unit) =>
      this.store.store(tenant, written, unit),
    );
    this.outbox.announce();
    return { edge: recordOf(stored) };
  }

  /** @throws EdgeUnknown */
  async retire(caller: DaemonCaller, edge: EdgeAddress): Promise<EdgeReply> {
    const written = { ...edge, actor: caller.principal, event: uuid() };
    const retired = await this.tenants.writeAlone(caller, undefined, async (tenant, unit) => {
      const found = await this.store.retire(tenant, written, unit);
      if (found) return found;
      throw new EdgeUnknown({}, 'No edge has these five members in the tenant, or it was deleted already');
    });
    this.outbox.announce();
    return { edge: recordOf(retired) };
  }

  async list(caller: DaemonCaller, { limit, cursor, include_deleted, ...filter }: EdgesQuery): Promise<EdgeList> {
    const after = decodeCursor(cursor, ['text', 'text', 'text', 'text', 'text']);
    const wanted = { ...filter, includeDeleted: include_deleted };
    const rows = await this.tenants.run(caller, undefined, () => this.store.list(wanted, { after, limit: limit + 1 }));
    const { page, next_cursor } = takePage(rows, limit, keyOf);
    return { count: page.length, edges: page.map(recordOf), next_cursor };
  }
}

const recordOf = ({ isDeleted, createdAt, updatedAt, updatedBy, ...edge }: Edge): EdgeRecord => ({
  ...edge,
  deleted: isDeleted,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
  updated_by: updatedBy,
});
