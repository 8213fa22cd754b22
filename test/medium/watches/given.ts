import { expect } from 'vitest';
import type { TestTenant } from '../../kit/app.js';
import { ingested } from '../ingest/given.js';

/** Passages long enough to be chunks of their own: headings divide. */
export const sections = (...texts: string[]): string =>
  texts.map((text, index) => `# Part ${index + 1}\n\n${`${text} `.repeat(60)}`).join('\n\n');

/** Sends a version of a document and waits until it is in search. */
export async function given(tenant: TestTenant, docId: string, content: string, change: object = {}): Promise<void> {
  const metadata = { contentType: 'text/markdown' };
  const { status, error } = await ingested(tenant, { docId, content, metadata, ...change });
  expect([docId, status, error]).toEqual([docId, 'completed', null]);
}

export async function watch(tenant: TestTenant, request: object): Promise<any> {
  const { status, body } = await tenant.call('POST', '/v1/watches', request);
  expect([request, status, body]).toEqual([request, 201, expect.objectContaining({ watchId: expect.any(String) })]);
  return body;
}

/** Records an answer that cites the passages, one quote each. */
export async function cite(
  tenant: TestTenant,
  answerId: string,
  chunkIds: string[],
  { quote, answerText }: { quote?: string; answerText?: string } = {},
): Promise<void> {
  const { status, body } = await tenant.call(
    'POST',
    '/v1/citations',
    {
      agentId: 'scribe',
      answerId,
      answerText,
      citations: chunkIds.map((chunkId) => ({ chunkId, quote })),
      idempotencyKey: crypto.randomUUID(),
    },
    { 'x-idempotency-key': '' },
  );
  expect([status, body]).toEqual([201, expect.objectContaining({ answerId })]);
}

/** The best passage for a query. */
export async function passage(tenant: TestTenant, query: string): Promise<string> {
  const { status, body } = await tenant.call('POST', '/v1/retrieve', { query });
  expect([query, status, body.results?.length > 0]).toEqual([query, 200, true]);
  return body.results[0].chunkId as string;
}

export async function alertsOf(tenant: TestTenant, { watchId }: { watchId: string }, query = ''): Promise<any[]> {
  const { status, body } = await tenant.call('GET', `/v1/watches/${watchId}/alerts${query}`);
  expect(status).toBe(200);
  return body.alerts;
}

export const changesOf = async (tenant: TestTenant, made: { watchId: string }): Promise<string[]> =>
  (await alertsOf(tenant, made)).map(({ change }) => change);
