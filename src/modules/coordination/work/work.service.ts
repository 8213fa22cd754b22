import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { partyOf, provenOf, type Party } from '../../../common/bearer-auth/party.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FenceCheckService } from '../leases/fence-check.service.js';
import { GateRequestsService } from './gates/gate-requests.service.js';
import { ownersOf } from './gates/gates.rules.js';
import { checkChangeable } from './plans/changeable.js';
import { isPlanId } from './plans/plans.rules.js';
import { PlansService } from './plans/plans.service.js';
import type { WorkItemRow } from './work-item.entity.js';
import { WorkMovesService } from './work-moves.service.js';
import type { WorkItem } from './work-item.dto.js';
import type { ChangeWork, CreateWork, QueuedMove, WorkChangeReply } from './work.dto.js';
import { workStream } from './work.events.js';
import { WorkChanged, WorkUnknown } from './work.problems.js';
import { distinct, divide, moveOf, needsKind, type AskedChange, type Move, type Plan } from './work.rules.js';
import { WorkStore } from './work.store.js';
import { workOf } from './work.views.js';

/** Makes, shows and changes work items. */
@Injectable()
export class WorkService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: WorkStore,
    private readonly moves: WorkMovesService,
    private readonly gates: GateRequestsService,
    private readonly fences: FenceCheckService,
    private readonly audit: AuditTrail,
    private readonly plans: PlansService,
  ) {}

  /** @throws PassportHeaderMismatch, TenantMismatch, ValidationFailed for `blocked` without a kind */
  create(caller: DaemonCaller, request: CreateWork): Promise<WorkItem> {
    const { tenant_id, created_by_passport, state, blocker_kind: blockerKind = null } = request;
    const createdBy = namedPassport(caller, created_by_passport, 'body.created_by_passport')!;
    if (state === 'blocked' && blockerKind === null) throw needsKind();
    return this.tenants.write(caller, tenant_id ?? undefined, async () => {
      const workId = uuid();
      const { project_id: projectId, title, body, priority, labels = [] } = request;
      const row = await this.store.items.insert({
        ...{ workId, projectId, title, body, state, priority, createdBy, blockerKind },
        labels: distinct(labels),
        assigneePassport: request.assignee_passport ?? null,
        linkedPr: request.linked_pr ?? null,
        linkedIssue: request.linked_issue ?? null,
        blockerReason: request.blocker_reason ?? null,
      });
      const { assigneePassport } = row;
      const facts = {
        workId,
        projectId,
        title,
        to: state,
        passport: createdBy,
        assigneePassport,
        priority,
        version: 1,
      };
      const stream = workStream(workId);
      const { receiptId } = await this.audit.record(caller, { kind: 'work.created', subject: workId, stream, facts });
      await this.moves.recordMove(caller, row, { passport: createdBy, from: null, receiptId });
      return workOf(row);
    });
  }

  /** @throws WorkUnknown */
  async read(caller: DaemonCaller, id: string): Promise<WorkItem> {
    if (isPlanId(id)) return this.readPlanned(caller, id);
    return this.tenants.run(caller, undefined, async () => workOf(await this.store.read(id)));
  }

  /**
   * Applies what needs no approval and queues the rest.
   * @throws WorkUnknown, WorkChanged, FenceStale; ValidationFailed for a forbidden move and for work of a plan file
   */
  change(caller: DaemonCaller, id: string, request: ChangeWork, fence?: number): Promise<WorkChangeReply> {
    const passport = namedPassport(caller, request.by_passport, 'body.by_passport')!;
    const by = partyOf(caller, request.by_passport, 'body.by_passport');
    checkChangeable(id);
    const asked = askedOf(request);
    return this.tenants.write(caller, request.tenant_id ?? undefined, async () => {
      const row = await this.moves.lock(id, request.state);
      await this.fences.check(fence, { kind: 'work', subject: id });
      checkVersion(row, request.base_version);
      const move = moveOf(row, asked);
      const isGated = move !== undefined && (await this.isGated(by, row, move, asked));
      const plan = divide(row, asked, move, isGated);
      const changed = await this.apply(caller, row, plan, { passport, why: request.why, fence });
      const queued = await this.queue(caller, changed, plan, { passport, why: request.why });
      return { work: workOf(changed), applied: plan.applied, queued };
    });
  }

  private async isGated(
    by: Party,
    row: WorkItemRow,
    { from, to }: Move,
    { assigneePassport }: AskedChange,
  ): Promise<boolean> {
    const owners = [...row.owners, assigneePassport];
    const hasMovedAsOwner =
      from === 'in_review' && (await this.store.hasMovedAs(row.workId, ownersOf({ owners }), provenOf(by)));
    return this.gates.isNeeded(row.projectId, { from, to, owners, by, hasMovedAsOwner });
  }

  private async apply(
    caller: DaemonCaller,
    row: WorkItemRow,
    { values }: Plan,
    said: { passport: string; why: string | undefined; fence: number | undefined },
  ): Promise<WorkItemRow> {
    return Object.keys(values).length === 0 ? row : this.moves.change(caller, row, { values, ...said });
  }

  private async queue(
    caller: DaemonCaller,
    row: WorkItemRow,
    { gated }: Plan,
    { passport, why = null }: { passport: string; why: string | null | undefined },
  ): Promise<QueuedMove[]> {
    if (!gated) return [];
    const { actionId, before, after } = await this.gates.request(caller, row, { ...gated, passport, why });
    return [{ action_id: actionId, from: before.state, to: after.state }];
  }

  /** Whether it is work of a plan file, of which nothing is kept here. @throws WorkUnknown where no file has it */
  async isPlanned(caller: DaemonCaller, id: string): Promise<boolean> {
    return isPlanId(id) && (await this.readPlanned(caller, id)) !== undefined;
  }

  private async readPlanned(caller: DaemonCaller, id: string): Promise<WorkItem> {
    const tenantId = await this.tenants.enter(caller);
    const found = await this.plans.find(tenantId, id);
    if (found) return found;
    throw new WorkUnknown(
      { work_id: id },
      'No plan file has it any more; GET /v1/work?source=plans lists those there are',
    );
  }
}

function checkVersion({ workId, version }: WorkItemRow, base: number | undefined): void {
  if (base === undefined || base === version) return;
  throw new WorkChanged({ work_id: workId, version }, `It is at version ${version}; read it and change that`);
}

const askedOf = (request: ChangeWork): AskedChange => ({
  title: request.title,
  body: request.body,
  state: request.state,
  assigneePassport: request.assignee_passport,
  linkedPr: request.linked_pr,
  linkedIssue: request.linked_issue,
  blockerReason: request.blocker_reason,
  blockerKind: request.blocker_kind,
  priority: request.priority,
  labels: request.labels && distinct(request.labels),
});
