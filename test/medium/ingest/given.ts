import { expect } from 'vitest';
import type { Answer, TestTenant } from '../../kit/app.js';

/** A document as it is sent, with members of no interest filled in. */
export function documentOf(
  tenant: Pick<TestTenant, 'tenantId'>,
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  const docId = (change['docId'] ?? 'leave') as string | number;
  return {
    tenantId: tenant.tenantId,
    corpusId: 'handbook',
    docId,
    title: `About ${String(docId).slice(0, 40)}`,
    url: `https://example.com/${encodeURIComponent(String(docId).slice(0, 40))}`,
    content: 'Everyone has 28 days of leave a year.',
    ...change,
  };
}

/** Sends a document and waits for its ingest to end. */
export async function ingested(tenant: TestTenant, change: Record<string, unknown> = {}): Promise<Answer['body']> {
  const accepted = await tenant.call('POST', '/v1/ingest', documentOf(tenant, change));
  expect([accepted.status, accepted.body]).toEqual([
    202,
    { ingestId: expect.any(String), status: 'queued', receiptId: expect.any(String) },
  ]);
  return ended(tenant, accepted.body.ingestId as string);
}

/** The status of an ingest once it is completed or failed. */
export async function ended(tenant: TestTenant, ingestId: string, withinMs = 20_000): Promise<Answer['body']> {
  const until = Date.now() + withinMs;
  for (;;) {
    const { body } = await tenant.call('GET', `/v1/ingest/${ingestId}`);
    if (body.status === 'completed' || body.status === 'failed') return body;
    if (Date.now() > until) throw new Error(`ingest ${ingestId} is still ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export interface Found {
  chunkId: string;
  docId: string;
  corpusId: string;
  content: string;
  title: string;
  source: string;
  tenantId: string | null;
}

/** What a search finds, best first. */
export async function found(tenant: TestTenant, query: string, change: Record<string, unknown> = {}): Promise<Found[]> {
  const answer = await tenant.call('POST', '/v1/retrieve', { query, limit: 50, ...change });
  expect([answer.status, answer.body.results]).toEqual([200, expect.any(Array)]);
  return answer.body.results as Found[];
}

/** docId and content of what a search finds, in the order of the document ids. */
export async function foundTexts(tenant: TestTenant, query: string): Promise<string[][]> {
  return (await found(tenant, query)).map(({ docId, content }) => [docId, content]).sort();
}
