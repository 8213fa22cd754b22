import { type MergeInput, mergeSegments } from '../../../common/search/merge.js';
import type { SegmentData } from '../../../common/search/segment.js';

/** What a worker thread runs. */
export default function merge(inputs: MergeInput[]): SegmentData {
  return mergeSegments(inputs);
}
