import { problem } from '../../../common/problem/problem.js';

/** The bytes are not what their sender says they are. */
export class SegmentDigestMismatch extends problem<{ digest: string; actual_digest: string }>(
  422,
  'SegmentDigestMismatch',
  'The segment does not have this digest',
) {}

export class SegmentMalformed extends problem(422, 'SegmentMalformed', 'The bytes are no sealed segment') {}

/** One is missing before it: it is to be sent first. */
export class SegmentGap extends problem<{ expected_seq: number; segment_seq: number }>(
  409,
  'SegmentGap',
  'Segments before this one are missing',
) {}

/** The node has sent another segment of this number, or goes on from another one. */
export class SegmentConflict extends problem<{ segment_seq: number; kept_digest: string | null }>(
  409,
  'SegmentConflict',
  'The segment is not the continuation of what is kept',
) {}

export class SegmentNotFound extends problem<{ segment_seq: number }>(404, 'SegmentNotFound', 'No such segment') {}
