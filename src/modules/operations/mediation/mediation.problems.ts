import { problem } from '../../../common/problem/problem.js';
import type { DraftKind, DraftOutcome } from './mediation.types.js';

/** Drafts of this kind are not taken while a flag is off (memory-daemon.md 4.12). */
export class DraftRejected extends problem<{ kind: DraftKind; flag: string }>(
  422,
  'DraftRejected',
  'Drafts of this kind are not taken',
) {}

/** The engine refused the draft, or gave no answer of use. */
export class EngineFailed extends problem<{
  draft_id: string;
  outcome: Exclude<DraftOutcome, 'answered'>;
  engine_status: number | null;
  receipt_id: string;
}>(502, 'EngineFailed', 'Bad Gateway') {}
