import { expect, it } from 'vitest';
import type { Facts } from './problem.js';

type IsTaken<F> = F extends Facts ? true : false;
/** tsc decides; what is written here must be what it finds. */
const taken: [IsTaken<{ approvalStatus: string }>, IsTaken<{ limitBytes?: number; [cap: string]: unknown }>] = [
  true,
  true,
];
const refused: [
  IsTaken<{ type: string }>,
  IsTaken<{ title: string }>,
  IsTaken<{ status: string }>,
  IsTaken<{ detail?: string }>,
  IsTaken<{ instance: string }>,
  IsTaken<{ message: string }>,
  IsTaken<{ code: number }>,
  IsTaken<{ request_id: string }>,
  IsTaken<{ retryable: boolean }>,
] = [false, false, false, false, false, false, false, false, false];

it('takes no fact of a problem that is named like a member of every error body', () => {
  expect([...taken, ...refused].filter(Boolean)).toHaveLength(2);
});
