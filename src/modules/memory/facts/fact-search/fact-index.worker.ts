import type { FactToIndex, PackedSegment } from './fact-segment.js';
import { mergeFactSegments, flushFacts, tailSegments } from './fact-segments.rules.js';

/** Work on whole segments, discriminated by `kind`. */
export type SegmentTask =
  | { kind: 'flush'; facts: readonly FactToIndex[] }
  | { kind: 'tail'; facts: readonly FactToIndex[] }
  | { kind: 'merge'; segments: readonly PackedSegment[]; isAll: boolean };

/** What a worker thread runs. */
export default function work(task: SegmentTask): PackedSegment[] {
  if (task.kind === 'merge') return mergeFactSegments(task.segments, task.isAll);
  return task.kind === 'flush' ? flushFacts(task.facts) : tailSegments(task.facts);
}
