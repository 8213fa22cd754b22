import { problem } from '../../../common/problem/problem.js';

export class TileUnknown extends problem<{ path: string }>(404, 'TileUnknown', 'The log has no such tile') {}
export class LeafUnknown extends problem(404, 'LeafUnknown', 'The log has no such leaf') {}
