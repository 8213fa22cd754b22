import { OPERATOR } from '../../../common/evidence-log/audit-trail.js';
import type { OperatorAnswer } from './operator-answer.dto.js';

interface Said {
  principal: string;
  reason: string | null;
  at: string;
}

/** The last that the operator said, of a history, oldest first. */
export function lastAnswer(history: readonly Said[]): OperatorAnswer | null {
  const last = history.findLast(({ principal, reason }) => principal === OPERATOR.principal && reason !== null);
  return last ? { text: last.reason!, at: new Date(last.at).toISOString() } : null;
}
