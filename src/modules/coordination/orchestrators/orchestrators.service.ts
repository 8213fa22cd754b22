import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { changesOf } from '../../../common/fields/changes.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { RowLock } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { OrchestratorRow } from './orchestrator.entity.js';
import type {
  ChangeOrchestrator,
  CreateOrchestrator,
  OrchestratorList,
  OrchestratorQuery,
  OrchestratorReply,
} from './orchestrators.dto.js';
import { orchestratorChange } from './orchestrators.events.js';
import { OrchestratorArchived, OrchestratorChanged, OrchestratorUnknown } from './orchestrators.problems.js';
import { mayMove, MOVES } from './orchestrators.rules.js';
import { OrchestratorsStore } from './orchestrators.store.js';
import { orchestratorOf, summaryOf } from './orchestrators.views.js';

type Changes = Partial<Pick<OrchestratorRow, 'name' | 'assigneePassport' | 'state'>>;

/** Orchestrators: what several agents and their work are gathered under. */
@Injectable()
export class OrchestratorsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: OrchestratorsStore,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws PassportHeaderMismatch, TenantMismatch */
  create(caller: DaemonCaller, request: CreateOrchestrator): Promise<OrchestratorReply> {
    const { name, state, assignee_passport, created_by_passport, tenant_id } = request;
    const createdBy = namedPassport(caller, created_by_passport, 'created_by_passport');
    return this.tenants.write(caller, tenant_id, async () => {
      const row = await this.store.insert({
        ...{ orchestratorId: uuid(), name, state },
        ...{ createdByPassport: createdBy ?? null, assigneePassport: assignee_passport ?? null },
        createdBy: caller.principal,
      });
      await this.audit.record(
        caller,
        orchestratorChange('created', row, { name, assigneePassport: row.assigneePassport }),
      );
      return { orchestrator: orchestratorOf(row, []) };
    });
  }

  list(caller: DaemonCaller, query: OrchestratorQuery): Promise<OrchestratorList> {
    const { tenant_id, assignee, state, limit, cursor } = query;
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.store.list({ assigneePassport: assignee, state }, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ orchestratorId }) => [orchestratorId]);
      return { orchestrators: page.map(summaryOf), count: page.length, next_cursor };
    });
  }

  /** @throws OrchestratorUnknown */
  read(caller: DaemonCaller, id: string): Promise<OrchestratorReply> {
    return this.tenants.run(caller, undefined, async () => this.show(await this.find(id)));
  }

  /** @throws OrchestratorUnknown, OrchestratorChanged, OrchestratorArchived; ValidationFailed for a forbidden move */
  change(caller: DaemonCaller, id: string, request: ChangeOrchestrator): Promise<OrchestratorReply> {
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.find(id, 'no key update');
      checkVersion(row, request.base_version);
      const { name, state, assignee_passport: assigneePassport } = request;
      const changes = changesOf<Changes>(row, { name, state, assigneePassport });
      if (Object.keys(changes).length === 0) return this.show(row);
      checkMove(row, changes);
      const changed = await this.store.change(id, changes);
      const { state: from } = row;
      await this.audit.record(
        caller,
        orchestratorChange('changed', changed, { ...changes, ...(changes.state && { from }) }),
      );
      return this.show(changed);
    });
  }

  /** In the open unit of work. @throws OrchestratorUnknown */
  async find(id: string, lock?: RowLock): Promise<OrchestratorRow> {
    const row = await this.store.find(id, lock);
    if (row) return row;
    throw new OrchestratorUnknown({ orchestrator_id: id }, 'GET /v1/orchestrators lists those there are');
  }

  /** In the open unit of work. */
  async show(row: OrchestratorRow): Promise<OrchestratorReply> {
    return { orchestrator: orchestratorOf(row, await this.store.listMembers(row.orchestratorId)) };
  }
}

/** @throws OrchestratorChanged */
function checkVersion({ version }: OrchestratorRow, base: number | undefined): void {
  if (base === undefined || base === version) return;
  throw new OrchestratorChanged({ version }, `It is at version ${version} now, not ${base}; read it and decide again`);
}

/** @throws OrchestratorArchived; ValidationFailed naming what it may become */
function checkMove({ orchestratorId, state: from }: OrchestratorRow, { state: to = from }: Changes): void {
  if (!mayMove(from, to))
    throw invalid('body.state', `cannot become ${to} from ${from}; allowed: ${MOVES[from].join(', ') || 'none'}`);
  if (from === 'archived') throw archived(orchestratorId);
}

export const archived = (id: string): OrchestratorArchived =>
  new OrchestratorArchived({ orchestrator_id: id }, 'It can be read as before; create another one to go on');
