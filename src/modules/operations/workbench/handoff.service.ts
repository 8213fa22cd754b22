import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { IntentsService } from '../../coordination/intents/intents.service.js';
import { LeasesService } from '../../coordination/leases/leases.service.js';
import type { LeaseRow } from '../../coordination/leases/leases.types.js';
import { gateOf } from '../../coordination/work/gates/gates.views.js';
import { WorkListService } from '../../coordination/work/work-list.service.js';
import { WorkOutlookService } from '../../coordination/work/work-outlook.service.js';
import { ReceiptsService } from '../../evidence/receipts/receipts.service.js';
import { ObserveStepsService } from '../../governance/observe/observe-steps.service.js';
import type { Handoff, HandoffObservation, HandoffRequest } from './handoff.dto.js';
import { findingsOfHandoff } from './handoff.rules.js';
import { counted, judge } from './judgement.rules.js';

/** What of the board somebody else can go on with. */
const OPEN = ['in_progress', 'in_review', 'blocked', 'ready'] as const;
/** Items of each kind at most; one more is read where it shows that there are more. */
const MAX_ITEMS = 200;

type Content = Pick<Handoff, 'open_work' | 'leases' | 'pending_gates' | 'intents' | 'last_receipts' | 'truncated'>;

/** All that whoever takes over has to know: open work, leases with their fences, gates, the last receipts (D70). */
@Injectable()
export class HandoffService {
  private readonly observes: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly board: WorkListService,
    private readonly outlook: WorkOutlookService,
    private readonly leases: LeasesService,
    private readonly intents: IntentsService,
    private readonly receipts: ReceiptsService,
    private readonly steps: ObserveStepsService,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.observes = daemon.handoffObservations;
  }

  /** @throws PassportHeaderMismatch */
  async make(caller: DaemonCaller, request: HandoffRequest): Promise<Handoff> {
    const passport = namedPassport(caller, request.from_passport, 'body.from_passport');
    const sessionId = request.session_id ?? caller.agentSession ?? null;
    const from = passport ?? caller.principal;
    const { truncated, ...content } = await this.gather(caller, request, { from, sessionId });
    const named = {
      ...{ schema: 'svc.workbench.handoff/2' as const, handoff_id: uuid(), from, session_id: sessionId },
      ...{ to_passport: request.to_passport ?? null, note: request.note ?? null, made_at: new Date().toISOString() },
    };
    const handoff_hash = blake3Digest(canonicalJson({ ...named, ...content }));
    const observation = this.observes ? await this.observe(caller, { ...named, handoff_hash }) : null;
    const found = findingsOfHandoff({ ...named, ...content, truncated });
    return { ...named, ...content, truncated, handoff_hash, observation, ...judge(found, summaryOf(content)) };
  }

  private async gather(
    caller: DaemonCaller,
    { project_id, limit }: HandoffRequest,
    { from, sessionId }: { from: string; sessionId: string | null },
  ): Promise<Content> {
    const work = await this.listWork(caller, project_id, limit);
    const { live, waiting } = await this.tenants.run(caller, undefined, async () => ({
      live: [...(await this.leases.listLive('work')), ...(await this.leases.listLive('path'))],
      waiting: (await this.outlook.listGates({ projectId: project_id }, limit + 1)).map(gateOf),
    }));
    const own = live.filter(({ holderPassport, heldBy }) => holderPassport === from || heldBy === from);
    const active = await this.intents.listActive(caller, {
      limit: MAX_ITEMS,
      ...(project_id === undefined ? {} : { project_id }),
    });
    const intents = active.intents.filter((one) => one.by_passport === from || one.session_id === sessionId);
    const ids = new Set(work.map(({ work_id }) => work_id));
    const leases = own.filter(({ kind, subject }) => project_id === undefined || kind === 'path' || ids.has(subject));
    const receipts = await this.listReceipts(caller, from, sessionId, limit);
    return {
      open_work: work.slice(0, limit),
      leases: leases.slice(0, limit).map(leaseOf),
      pending_gates: waiting
        .slice(0, limit)
        .map(({ action_id, work_id, requested_by, after, may_decide, expires_at }) => ({
          ...{ action_id, work_id, requested_by, after: { ...after }, may_decide, expires_at },
        })),
      intents: intents.slice(0, limit).map(({ session_id, paths, expires_at }) => ({ session_id, paths, expires_at })),
      last_receipts: receipts,
      truncated: [work, leases, waiting, intents].some(({ length }) => length > limit) || active.next_cursor !== null,
    };
  }

  private async listWork(
    caller: DaemonCaller,
    projectId: string | undefined,
    limit: number,
  ): Promise<Handoff['open_work']> {
    const found: Handoff['open_work'] = [];
    for (const state of OPEN) {
      const query = { source: 'kanban' as const, limit: MAX_ITEMS + 1, state };
      const { work } = await this.board.list(
        caller,
        projectId === undefined ? query : { ...query, project_id: projectId },
      );
      found.push(
        ...work.map(
          ({
            work_id,
            project_id,
            title,
            assignee_passport,
            priority,
            open_blockers,
            blocker_reason,
            lease,
            version,
          }) => ({
            ...{
              work_id,
              project_id,
              title,
              state,
              assignee_passport,
              priority,
              open_blockers,
              blocker_reason,
              version,
            },
            fence: lease?.fence ?? null,
          }),
        ),
      );
      if (found.length > limit) break;
    }
    return found;
  }

  /** Of the session where one is named, and it has any. */
  private async listReceipts(caller: DaemonCaller, from: string, session: string | null, limit: number) {
    const ofSession = session === null ? undefined : await this.receipts.list(caller, { session, limit });
    const page =
      ofSession && ofSession.rows.length > 0 ? ofSession : await this.receipts.list(caller, { principal: from, limit });
    return page.rows.map(({ receipt_id, kind, subject, session: of, occurred_at }) => ({
      ...{ receipt_id, kind, subject, session: of, occurred_at },
    }));
  }

  /** A step of the session, else of one of all handoffs. */
  private async observe(
    caller: DaemonCaller,
    made: Pick<Handoff, 'handoff_id' | 'handoff_hash' | 'session_id' | 'from' | 'to_passport' | 'made_at' | 'note'>,
  ): Promise<HandoffObservation> {
    const session = made.session_id ?? 'handoffs';
    const text = made.note === null ? {} : { text: made.note };
    const { node } = await this.steps.open(caller, session, {
      ...{ node_id: made.handoff_id, label: `Handoff to ${made.to_passport ?? 'whoever is next'}`, actor: made.from },
      ...{ ts_start: made.made_at, kind: 'other', risk_class: 'minimal', private: true, auto: false },
      inputs: [{ kind: 'message', ref: `handoff:${made.handoff_id}`, ...text }],
    });
    await this.steps.close(caller, session, node.node_id, {
      outputs: [{ kind: 'message', ref: `handoff:${made.handoff_id}`, digest: made.handoff_hash }],
      status: 'ok',
      ts_end: made.made_at,
    });
    return { session_id: session, node_id: node.node_id };
  }
}

const leaseOf = ({ kind, subject, mode, fence, holderPassport, expiresAt }: LeaseRow): Handoff['leases'][number] => ({
  ...{ kind, subject, mode, fence, holder_passport: holderPassport },
  expires_at: expiresAt.toISOString(),
});

const summaryOf = ({ open_work, leases, pending_gates, last_receipts }: Omit<Content, 'truncated'>): string =>
  [
    counted(open_work.length, 'open item'),
    counted(leases.length, 'live lease'),
    counted(pending_gates.length, 'pending gate'),
    counted(last_receipts.length, 'receipt'),
  ].join(', ');
