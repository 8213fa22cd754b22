import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TestTenant } from '../../kit/app.js';

export interface GivenDocument {
  corpusId?: string;
  docId: string;
  title?: string;
  content: string;
  shareability?: 'owner_only' | 'entitled_only' | 'public_safe';
  language?: string;
}

/** Ingests documents in one batch and waits until each is searchable. */
export async function ingest(tenant: TestTenant, documents: GivenDocument[]): Promise<void> {
  const body = {
    documents: documents.map(({ corpusId = 'handbook', docId, title = docId, content, shareability, language }) => ({
      tenantId: tenant.tenantId,
      corpusId,
      docId,
      title,
      content,
      url: `https://example.com/${docId}`,
      shareability: shareability ?? 'owner_only',
      ...(language ? { metadata: { language } } : {}),
    })),
  };
  const accepted = await tenant.call('POST', '/v1/ingest/batch', body);
  expect([accepted.status, accepted.body.type]).toEqual([202, undefined]);
  for (const { ingestId } of accepted.body.accepted as { ingestId: string }[]) await completed(tenant, ingestId);
}

async function completed(tenant: TestTenant, ingestId: string): Promise<void> {
  for (;;) {
    const { body } = await tenant.call('GET', `/v1/ingest/${ingestId}`);
    if (body.status === 'completed') return;
    if (body.status === 'failed') throw new Error(body.error);
    await sleep(10);
  }
}

export async function withdraw(tenant: TestTenant, docId: string, corpusId = 'handbook'): Promise<void> {
  expect((await tenant.call('DELETE', `/v1/documents/${corpusId}/${docId}`)).status).toBeLessThan(300);
}

/** The whole answer of a retrieval. */
export async function retrieve(tenant: TestTenant, query: string, rest: object = {}): Promise<any> {
  const { status, body } = await tenant.call('POST', '/v1/retrieve', { query, ...rest });
  expect([status, body.type]).toEqual([200, undefined]);
  return body;
}

/** The documents a query finds, best first. */
export async function found(tenant: TestTenant, query: string, rest: object = {}): Promise<string[]> {
  const { results } = await retrieve(tenant, query, rest);
  return results.map(({ docId }: { docId: string }) => docId);
}

/** Text of a document about a topic: words that occur in many, and a few of its own. */
export function essay(seed: number, words = 80): string {
  let state = seed * 2654435761;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return Array.from({ length: words }, () => `topic${Math.floor(300 ** next())}`).join(' ');
}
