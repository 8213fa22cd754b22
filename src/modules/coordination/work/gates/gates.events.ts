import { workStream } from '../work.events.js';
import type { WorkGateRow } from './work-gate.entity.js';

type GateFacts = Pick<
  WorkGateRow,
  'actionId' | 'workId' | 'projectId' | 'itemVersion' | 'before' | 'after' | 'requestedPassport'
>;

/** What event and receipt say of a gate. */
export const gateFacts = (gate: GateFacts) => ({
  actionId: gate.actionId,
  workId: gate.workId,
  projectId: gate.projectId,
  itemVersion: gate.itemVersion,
  from: gate.before.state,
  to: gate.after.state,
  requestedBy: gate.requestedPassport,
});

/** The two records of what became of a gate, in the chain of its item. */
export const gateEvent = (
  what: 'requested' | 'approved' | 'rejected' | 'lapsed' | 'withdrawn',
  { actionId, workId }: Pick<WorkGateRow, 'actionId' | 'workId'>,
  facts: object,
) => ({ kind: `gate.${what}`, subject: actionId, stream: workStream(workId), facts });
