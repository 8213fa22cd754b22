import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type {
  EdgeAddress,
  EdgeList,
  EdgeRecord,
  EdgeReply,
  EdgesQuery,
  Neighbourhood,
  NeighbourhoodRequest,
  StoreEdge,
} from './edges.dto.js';
import { identityFault, Reached } from './edges.rules.js';
import { EdgesStore, keyOf } from './edges.store.js';
import { EdgeUnknown } from './graph.problems.js';
import type { Edge, EdgeIdentity } from './graph.types.js';

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

  /** @throws ValidationFailed for an identity that no index can hold */
  async record(caller: DaemonCaller, { payload, ...edge }: StoreEdge): Promise<EdgeReply> {
    checkIdentity(edge, 'body');
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

  /** Breadth first, one statement a hop. */
  async around(caller: DaemonCaller, request: NeighbourhoodRequest): Promise<Neighbourhood> {
    const { direction, max_hops: hops, limit } = request;
    const kinds = request.edge_kinds?.length ? request.edge_kinds : undefined;
    const reached = new Reached<Edge>(request, limit);
    await this.tenants.run(caller, undefined, async () => {
      for (let hop = 1; hop <= hops && !reached.truncated; hop++) {
        const nodes = reached.at(hop - 1);
        if (nodes.length === 0) return;
        // Those that are known already are found again from the other end.
        const wanted = { kinds, direction, limit: reached.wanted + reached.edges.length };
        reached.add(await this.store.findAround(nodes, wanted), hop);
      }
    });
    const { nodes, edges, truncated } = reached;
    return { nodes, edges: edges.map(recordOf), truncated };
  }
}

/** @throws ValidationFailed */
export function checkIdentity(edge: EdgeIdentity, where: string): void {
  const wrong = identityFault(edge);
  if (wrong) throw invalid(`${where}.${wrong.member}`, wrong.fault);
}

const recordOf = ({ isDeleted, createdAt, updatedAt, updatedBy, ...edge }: Edge): EdgeRecord => ({
  ...edge,
  deleted: isDeleted,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
  updated_by: updatedBy,
});
