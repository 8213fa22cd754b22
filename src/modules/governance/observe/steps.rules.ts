import { canonicalJson } from '../../../evidence/canonical-json.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { ObserveStepRow } from './observe-step.entity.js';

type Said = 'label' | 'actor' | 'kind' | 'riskClass' | 'private' | 'tsStart' | 'inputs' | 'enrichRef';
export type OpenedStep = Pick<ObserveStepRow, 'sessionId' | 'nodeId' | 'parentId' | 'salt' | Said>;
export type ClosedStep = Pick<
  ObserveStepRow,
  'sessionId' | 'nodeId' | 'salt' | 'status' | 'tsEnd' | 'outputs' | 'receiptId' | 'mutationReceiptId' | 'reasoningRef'
>;

/** SHA-256 over the canonical JSON (RFC 8785) of what was opened, under the names of the wire, as it is kept. */
export const openDigest = (step: OpenedStep): Buffer =>
  digest(step.salt, {
    ...{ session_id: step.sessionId, node_id: step.nodeId, parent_id: step.parentId, label: step.label },
    ...{ actor: step.actor, kind: step.kind, risk_class: step.riskClass, private: step.private },
    ...{ ts_start: step.tsStart.toISOString(), inputs: step.inputs, enrich_ref: step.enrichRef },
  });

/** The same of what was closed. */
export const closeDigest = (step: ClosedStep): Buffer =>
  digest(step.salt, {
    ...{ session_id: step.sessionId, node_id: step.nodeId, status: step.status },
    ...{ ts_end: step.tsEnd!.toISOString(), outputs: step.outputs, reasoning_ref: step.reasoningRef },
    ...{ receipt_id: step.receiptId, mutation_receipt_id: step.mutationReceiptId },
  });

/** Without its salt, which goes with the content, a digest confirms no guess of what was said. */
const digest = (salt: Buffer | null, value: object): Buffer =>
  Buffer.from(sha256(canonicalJson(salt ? { ...value, salt: salt.toString('hex') } : value)));

/** Ten hexadecimal digits a step, so that paths sort as the steps were opened. */
export const placeOf = (seq: string): string => BigInt(seq).toString(16).padStart(10, '0');
