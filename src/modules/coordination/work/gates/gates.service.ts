import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { isRequester, partyOf, type Party } from '../../../../common/bearer-auth/party.js';
import { AuditTrail, type Actor } from '../../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { isUuid } from '../../../../common/ids/uuid-form.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { WorkMovesService } from '../work-moves.service.js';
import type { DecideGate, GateResolution, PendingGates, PendingGatesQuery, WithdrawGate } from './gates.dto.js';
import { gateEvent, gateFacts } from './gates.events.js';
import { GateDecided, GateUnknown, MayNotDecide } from './gates.problems.js';
import { findRefusal } from './gates.rules.js';
import { GatesStore } from './gates.store.js';
import { gateOf, resolutionOf } from './gates.views.js';
import type { WorkGateRow } from './work-gate.entity.js';

type Decision = 'approved' | 'rejected' | 'withdrawn';

/** A gate under its lock, with its item. */
interface Opened {
  gate: WorkGateRow;
  item: WorkItemRow;
}

/** Pending gates and the decisions on them. A gate is decided on once, by another than who asked, or it lapses. */
@Injectable()
export class GatesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: GatesStore,
    private readonly moves: WorkMovesService,
    private readonly audit: AuditTrail,
  ) {}

  list(caller: DaemonCaller, { by_passport, limit, cursor }: PendingGatesQuery): Promise<PendingGates> {
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.listOpen({ requestedPassport: by_passport }, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.requestedUs, row.actionId]);
      return { pending: page.map(gateOf), count: page.length, next_cursor };
    });
  }

  /** Whatever became of it. @throws GateUnknown */
  read(caller: DaemonCaller, actionId: string): Promise<GateResolution> {
    return this.tenants.run(caller, undefined, async () => {
      const gate = await this.find(actionId);
      const shown = gate.isOver ? Object.assign(gate, { status: 'lapsed' }) : gate;
      return resolutionOf(shown);
    });
  }

  /** @throws GateUnknown, MayNotDecide, GateDecided where it was decided on or has lapsed */
  decide(caller: DaemonCaller, actionId: string, decision: Decision, request: DecideGate): Promise<GateResolution> {
    const by = partyOf(caller, request.approver_passport, 'body.approver_passport');
    return this.settle(caller, actionId, { by, decision, reason: request.reason });
  }

  /** @throws GateUnknown, MayNotDecide for another than who asked, GateDecided */
  withdraw(caller: DaemonCaller, actionId: string, request: WithdrawGate): Promise<GateResolution> {
    const by = partyOf(caller, request.by_passport, 'body.by_passport');
    return this.settle(caller, actionId, { by, decision: 'withdrawn', reason: request.reason });
  }

  /** That a gate has lapsed is written even where the decision that came too late is refused. */
  private async settle(
    caller: DaemonCaller,
    actionId: string,
    asked: { by: Party; decision: Decision; reason: string | undefined },
  ): Promise<GateResolution> {
    const { by, decision } = asked;
    const settled = await this.tenants.write(caller, undefined, async () => {
      const { gate, item } = await this.open(actionId);
      if (gate.status !== 'pending') throw decided(gate);
      const refusal = refusalOf(by, gate, decision) ?? (await this.findKeyRefusal(by, gate, decision));
      if (refusal !== undefined) throw new MayNotDecide({ action_id: actionId }, refusal);
      if (gate.isOver || item.state !== gate.before.state || item.version !== gate.itemVersion)
        return this.lapse(caller, gate);
      return this.conclude(caller, { gate, item }, asked);
    });
    if (settled.status === 'lapsed') throw decided(settled);
    return resolutionOf(settled);
  }

  /** Who asked takes it back by its own credential, or not at all. */
  private async findKeyRefusal(by: Party, gate: WorkGateRow, decision: Decision): Promise<string | undefined> {
    if (decision === 'withdrawn' || !(await this.store.isKeyOfAsker(by.principal, gate))) return undefined;
    return `${gate.requestedPrincipal} asked for it and made the key that decides; another has to decide`;
  }

  private async conclude(
    caller: DaemonCaller,
    { gate, item }: Opened,
    { by, decision, reason = null }: { by: Party; decision: Decision; reason?: string | null | undefined },
  ): Promise<WorkGateRow> {
    const passport = by.passport ?? caller.principal;
    if (decision === 'approved') await this.apply(caller, gate, item, passport);
    const said = decision === 'withdrawn' ? { byPassport: passport } : { approverPassport: passport };
    return this.end(caller, gate, { status: decision, passport, reason, facts: said });
  }

  private apply(by: Actor, gate: WorkGateRow, item: WorkItemRow, approver: string): Promise<WorkItemRow> {
    const { actionId, requestedPassport: passport, why } = gate;
    const { state, blocker_kind: blockerKind, blocker_reason: blockerReason } = gate.after;
    const blocker = blockerKind === undefined ? {} : { blockerKind, blockerReason: blockerReason ?? null };
    const facts = { approverPassport: approver };
    return this.moves.change(by, item, { values: { state, ...blocker }, passport, why, actionId, facts });
  }

  /** Records that the time of a gate is over, that its item is not what it was, or what else ended it before. */
  lapse(by: Actor, gate: WorkGateRow): Promise<WorkGateRow> {
    const reason = gate.reason ?? (gate.isExpired ? 'Nobody decided in time' : 'The item has changed meanwhile');
    return this.end(by, gate, { status: 'lapsed', passport: null, reason, facts: {} });
  }

  private async end(
    by: Actor,
    gate: WorkGateRow,
    end: { status: Decision | 'lapsed'; passport: string | null; reason: string | null; facts: object },
  ): Promise<WorkGateRow> {
    const { status, passport, reason, facts } = end;
    const said = { ...gateFacts(gate), ...facts, ...(reason === null ? {} : { reason }) };
    const { receiptId } = await this.audit.record(by, gateEvent(status, gate, said));
    return this.store.gates.updateOne(
      { actionId: gate.actionId, status: 'pending' },
      {
        ...{ status, reason, decidedPassport: passport, decidedPrincipal: by.principal, decisionReceipt: receiptId },
        decidedAt: () => 'clock_timestamp()',
      },
    );
  }

  /** The item first, as whoever changes it does. */
  private async open(actionId: string): Promise<Opened> {
    const seen = await this.find(actionId);
    const item = await this.moves.lock(seen.workId, seen.after.state);
    const gate = await this.store.gates.find({ actionId }, 'no key update');
    return { gate: gate ?? unknown(actionId), item };
  }

  private async find(actionId: string): Promise<WorkGateRow> {
    const gate = isUuid(actionId) ? await this.store.gates.find({ actionId }) : undefined;
    return gate ?? unknown(actionId);
  }
}

function refusalOf(by: Party, gate: WorkGateRow, decision: Decision): string | undefined {
  if (decision !== 'withdrawn') return findRefusal(by, gate);
  return isRequester(by, gate) ? undefined : `${gate.requestedPassport} asked for it, and nobody else takes it back`;
}

function unknown(actionId: string): never {
  throw new GateUnknown({ action_id: actionId }, 'GET /v1/work/gate/pending lists those that wait for a decision');
}

function decided({ actionId, status, decidedPassport, decidedAt, reason }: WorkGateRow): GateDecided {
  const at = decidedAt?.toISOString() ?? null;
  const who = decidedPassport === null ? '' : ` by ${decidedPassport}`;
  return new GateDecided(
    { action_id: actionId, decision: status, decided_by: decidedPassport, decided_at: at, reason },
    `It was ${status}${who} at ${at}${reason === null ? '' : `: ${reason}`}. Ask for the change again where it is still wanted`,
  );
}
