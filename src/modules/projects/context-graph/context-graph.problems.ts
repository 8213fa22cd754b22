import { problem } from '../../../common/problem/problem.js';

export class NodeUnknown extends problem<{ node_id: string }>(404, 'NodeUnknown', 'The graph has no such node') {}
