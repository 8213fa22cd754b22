import { problem } from '../../../common/problem/problem.js';

export class NoSupervisor extends problem(501, 'NoSupervisor', 'Nothing would start the daemon again') {}
