import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { ObserveStepRow } from './observe-step.entity.js';
import type { ObserveNode } from './observe-steps.dto.js';

/** What stands for a label that is not shown. */
const WITHHELD = '(private)';

/** Whether the caller sees what is in the step (D36). */
export const seesStep = (caller: Pick<DaemonCaller, 'isAdmin' | 'principal'>, step: ObserveStepRow): boolean =>
  !step.private || caller.isAdmin || step.owner === caller.principal;

export function nodeOf(step: ObserveStepRow, isShown: boolean): ObserveNode {
  const { label, inputs, outputs, enrichRef, reasoningRef, salt } = isShown ? step : EMPTY;
  return {
    ...{ node_id: step.nodeId, session_id: step.sessionId, parent_id: step.parentId, depth: step.depth },
    ...{ label, actor: step.actor, kind: step.kind, risk_class: step.riskClass, status: step.status },
    ...{ private: step.private, withheld: !isShown, inputs, outputs: outputs ?? [] },
    ...{ enrich_ref: enrichRef, reasoning_ref: reasoningRef },
    ...{ receipt_id: step.receiptId, mutation_receipt_id: step.mutationReceiptId },
    ts_start: step.tsStart.toISOString(),
    ts_end: step.tsEnd?.toISOString() ?? null,
    ...{ auto: step.auto, open_receipt: step.openReceipt, close_receipt: step.closeReceipt },
    salt: salt?.toString('hex') ?? null,
  };
}

const EMPTY: Pick<ObserveStepRow, 'label' | 'inputs' | 'outputs' | 'enrichRef' | 'reasoningRef' | 'salt'> = {
  label: WITHHELD,
  inputs: [],
  outputs: [],
  enrichRef: null,
  reasoningRef: null,
  salt: null,
};
