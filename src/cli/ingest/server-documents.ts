import { z } from 'zod';
import type { ApiClient } from '../../common/client/api-client.js';
import type { DocumentPage } from '../../common/client/api-replies.js';
import type { KnownDocument } from './sources.types.js';

/** Most that GET /v1/documents answers at once. */
const PAGE = 200;

/** Metadata is the caller's own: whatever else stands there counts as nothing. */
const Origin = z.object({
  root: z.string(),
  digest: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
});

/** The documents of a corpus by docId: the state of an ingest is kept by the server alone. */
export async function readDocuments(client: ApiClient, corpus: string): Promise<Map<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = new URLSearchParams({ corpusId: corpus, limit: String(PAGE), ...(cursor === '' ? {} : { cursor }) });
    const page: DocumentPage = await client.get<DocumentPage>(`/v1/documents?${query.toString()}`);
    for (const { docId, url, shareability, metadata } of page.documents)
      known.set(docId, { url, shareability, origin: Origin.safeParse(metadata?.['source']).data });
    cursor = page.next_cursor;
  }
  return known;
}

/** The path of a document in the API. */
export const documentPath = (corpus: string, docId: string): string =>
  `/v1/documents/${encodeURIComponent(corpus)}/${encodeURIComponent(docId)}`;
