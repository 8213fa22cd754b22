import { problem } from '../../../common/problem/problem.js';

/** Somebody else appended meanwhile, or the stream is not as far as the caller thinks. */
export class NextSeqMismatch extends problem<{ expected_next_seq: number | string; actual_next_seq: number }>(
  409,
  'NextSeqMismatch',
  'The stream is at another position',
) {}

export class EventIdTaken extends problem<{ event_id: string; seq: number }>(
  409,
  'EventIdTaken',
  'The event_id stands for another event of the stream',
) {}

export class PlatformUpgradeRequired extends problem(
  501,
  'PlatformUpgradeRequired',
  'This platform appends by POST /v1/append alone',
) {}
