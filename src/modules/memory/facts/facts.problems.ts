import { problem } from '../../../common/problem/problem.js';

/** Missing, deleted, or another principal's private fact: the response does not say which. */
export class FactNotFound extends problem<{ fact_id: string }>(404, 'FactNotFound', 'There is no such fact') {}

/** What an incident has set aside is not deleted. */
export class FactQuarantined extends problem<{ fact_id: string }>(409, 'FactQuarantined', 'The fact is set aside') {}
