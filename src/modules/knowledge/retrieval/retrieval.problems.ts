import { problem } from '../../../common/problem/problem.js';

export class IndexCorrupted extends problem<{ segmentId: string }>(
  500,
  'IndexCorrupted',
  'A part of the search index is not what was written',
) {}
export class PassageCorrupted extends problem<{ chunkId: string }>(
  500,
  'PassageCorrupted',
  'A passage is not the text that was indexed',
) {}
