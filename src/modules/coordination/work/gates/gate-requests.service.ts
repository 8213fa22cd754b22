import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { AuditTrail, type Actor } from '../../../../common/evidence-log/audit-trail.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { gateFacts, gateEvent } from './gates.events.js';
import { GATE_DAYS, needsApproval, type AskedMove } from './gates.rules.js';
import { GatesStore } from './gates.store.js';
import type { GatedMembers } from './gates.types.js';
import type { WorkGateRow } from './work-gate.entity.js';

/** A move that is to wait for an approval. */
export interface GateDraft {
  before: GatedMembers;
  after: GatedMembers;
  passport: string;
  why: string | null;
}

/** Asks for approvals, within the open unit of work and under the item's lock. */
@Injectable()
export class GateRequestsService {
  constructor(
    private readonly store: GatesStore,
    private readonly audit: AuditTrail,
  ) {}

  /** Whether a move of a project's item needs an approval. */
  async isNeeded(projectId: string, move: AskedMove): Promise<boolean> {
    const policy = await this.store.policies.find({ projectId });
    return needsApproval(move, policy?.moves ?? []);
  }

  /** Of the same request about the same version there is one gate, however often it is asked for. */
  async request(by: Actor, item: WorkItemRow, { before, after, passport, why }: GateDraft): Promise<WorkGateRow> {
    const { workId, projectId, version: itemVersion } = item;
    const same = { workId, itemVersion, status: 'pending', requestedPassport: passport } as const;
    const known = await this.store.gates.list({ ...same, requestedPrincipal: by.principal });
    const repeated = known.find((gate) => !gate.isOver && JSON.stringify(gate.after) === JSON.stringify(after));
    if (repeated) return repeated;
    const policy = await this.store.policies.find({ projectId });
    const actionId = uuid();
    const draft = { actionId, workId, projectId, itemVersion, before, after, requestedPassport: passport };
    const { receiptId } = await this.audit.record(by, gateEvent('requested', draft, { ...gateFacts(draft), why }));
    return this.store.gates.insert({
      ...{ ...draft, why, mayDecide: policy?.mayDecide ?? null, requestReceipt: receiptId },
      requestedPrincipal: by.principal,
      requestedSubject: by.tokenSubject ?? null,
      expiresAt: () => `now() + interval '${GATE_DAYS} days'`,
    });
  }
}
