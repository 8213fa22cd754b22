import { setTimeout } from 'node:timers/promises';
import type { TestTenant } from '../../kit/app.js';

export { givenDocument, retrieve } from '../citations/given.js';

let answers = 0;

/** Records an answer that cites these passages. @returns its answerId */
export async function givenAnswer(tenant: TestTenant, chunkIds: string[], members: object = {}): Promise<string> {
  const key = crypto.randomUUID();
  const body = {
    agentId: 'default-agent',
    answerId: `answer-${++answers}`,
    idempotencyKey: key,
    citations: chunkIds.map((chunkId) => ({ chunkId })),
    ...members,
  };
  const answer = await tenant.call('POST', '/v1/citations', body, { 'x-idempotency-key': key });
  if (answer.status !== 201) throw new Error(`citations answered ${answer.status}: ${answer.text}`);
  return body.answerId;
}

/** Makes a proof job and waits for its end. @returns the job as it ended */
export async function prove(tenant: TestTenant, request: object): Promise<any> {
  const made = await tenant.call('POST', '/v1/proof/jobs', { mode: 'light', ...request });
  if (made.status !== 202) throw new Error(`proof jobs answered ${made.status}: ${made.text}`);
  return ended(tenant, made.body.jobId);
}

export async function ended(tenant: TestTenant, jobId: string): Promise<any> {
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await tenant.call('GET', `/v1/proof/jobs/${jobId}`);
    if (body.status === 'completed' || body.status === 'failed') return body;
    await setTimeout(25);
  }
  throw new Error('the proof job did not end');
}

/** The result of each check by name. */
export const outcomes = (checks: { name: string; result: string }[]): Record<string, string> =>
  Object.fromEntries(checks.map(({ name, result }) => [name, result]));
