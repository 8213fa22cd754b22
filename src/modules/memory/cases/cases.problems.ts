import { problem } from '../../../common/problem/problem.js';

export class CaseUnknown extends problem<{ case_id: string }>(404, 'CaseUnknown', 'There is no such case') {}

/** What an incident has set aside is not deleted. */
export class CaseQuarantined extends problem<{ case_id: string }>(409, 'CaseQuarantined', 'The case is set aside') {}
