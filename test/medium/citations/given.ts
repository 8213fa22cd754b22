import type { TestTenant } from '../../kit/app.js';
import { ended } from '../ingest/given.js';

export interface GivenDocument {
  text: string;
  corpusId?: string;
  docId?: string;
  shareability?: 'owner_only' | 'entitled_only' | 'public_safe';
}

/** Ingests a document and waits until it can be found. */
export async function givenDocument(tenant: TestTenant, document: GivenDocument): Promise<void> {
  const { text, corpusId = 'handbook', docId = 'leave', shareability = 'owner_only' } = document;
  const { status, body } = await tenant.call('POST', '/v1/ingest', {
    tenantId: tenant.tenantId,
    corpusId,
    docId,
    title: `About ${docId}`,
    content: text,
    url: `https://example.org/${docId}`,
    shareability,
  });
  if (status !== 202) throw new Error(`ingest answered ${status}: ${JSON.stringify(body)}`);
  const ingest = await ended(tenant, body.ingestId);
  if (ingest.status === 'failed') throw new Error(ingest.error);
}

export interface Found {
  chunkId: string;
  content: string;
  docId: string;
  source: string;
  score: number;
}

/** What a query finds: at least one passage. */
export async function retrieve(tenant: TestTenant, query: string, request: object = {}): Promise<[Found, ...Found[]]> {
  const { status, body } = await tenant.call('POST', '/v1/retrieve', { query, ...request });
  if (status !== 200) throw new Error(`retrieve answered ${status}: ${JSON.stringify(body)}`);
  if (body.results.length === 0) throw new Error(`nothing was found for ${query}`);
  return body.results;
}
