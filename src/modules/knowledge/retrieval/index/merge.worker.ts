import { type MergeInput, mergeSegments } from '../../../../search/merge.js';
import type { SegmentData } from '../../../../search/segment.js';

/** What a worker thread runs. */
export default function merge(inputs: MergeInput[]): SegmentData {
  return mergeSegments(inputs);
}
