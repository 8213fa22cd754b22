import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type {
  Expansion,
  ExpandRequest,
  IncomingQuery,
  IncomingRelations,
  OutgoingQuery,
  OutgoingRelations,
  RelationRecord,
  StoreRelation,
} from './relations.dto.js';
import { RelationsStore } from './relations.store.js';

/** What each hop takes of the score (docs/decisions/0094). */
const DECAY = 0.5;

/** Weighted relations between artifacts that go by numbers, of the tenant that each request names. */
@Injectable()
export class RelationsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: RelationsStore,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ValidationFailed for a change before the creation */
  async record(caller: DaemonCaller, relation: StoreRelation): Promise<RelationRecord> {
    const { created_at_micros: created, updated_at_micros: updated } = relation;
    if (created !== undefined && updated !== undefined && updated < created)
      throw invalid('body.updated_at_micros', 'must not be before created_at_micros');
    const written = { ...relation, actor: caller.principal, event: uuid() };
    const stored = await this.tenants.writeAlone(caller, relation.tenant_id, (tenant, unit) =>
      this.store.store(tenant, written, unit),
    );
    this.outbox.announce();
    return stored;
  }

  async listOutgoing(caller: DaemonCaller, query: OutgoingQuery): Promise<OutgoingRelations> {
    const { tenant_id, from_id, limit, cursor } = query;
    const after = decodeCursor(cursor, ['text', 'integer']);
    const rows = await this.tenants.run(caller, tenant_id, () => this.store.listOutgoing(from_id, after, limit + 1));
    const { page, next_cursor } = takePage(rows, limit, ({ edge_type, to_id }) => [edge_type, to_id]);
    return { edges: page, next_cursor };
  }

  async listIncoming(caller: DaemonCaller, query: IncomingQuery): Promise<IncomingRelations> {
    const { tenant_id, to_id, edge_type, limit, cursor } = query;
    const part = { after: decodeCursor(cursor, ['text', 'integer']), limit: limit + 1 };
    const rows = await this.tenants.run(caller, tenant_id, () => this.store.listIncoming(to_id, edge_type, part));
    const { page, next_cursor } = takePage(rows, limit, (row) => [row.edge_type, row.from_id]);
    return { edges: page, cursor: cursor ?? null, next_cursor, limit };
  }

  async expand(caller: DaemonCaller, request: ExpandRequest): Promise<Expansion> {
    const { artifacts, ...stats } = await this.store.expand(
      await this.tenants.enter(caller, request.tenant_id),
      request,
      DECAY,
    );
    return { artifacts, stats: { ...stats, budget_remaining: request.budget - stats.edges_traversed } };
  }
}
