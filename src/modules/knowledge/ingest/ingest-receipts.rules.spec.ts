import { expect, it } from 'vitest';
import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import { acceptedDocument, BATCH_KINDS, completionOf, isOfBatch, standsAlone } from './ingest-receipts.rules.js';

it('has exactly the members of docs/formats/receipts.md, in a chain of its own, by the server itself', () => {
  const version = { ingestId: 'i', corpusId: 'c', docId: 'd', version: 3 };
  const [contentHash, passagesRoot] = [blake3Digest('text'), sha256Digest('root')];
  expect(completionOf(version, { contentHash, passagesRoot, chunks: { length: 7 } })).toEqual({
    ...{ kind: 'ingest.completed', actor: 'svc:ingest', authMode: 'system', stream: 'ingest' },
    body: {
      ...{ ingest_id: 'i', corpus_id: 'c', doc_id: 'd', version: 3, content_hash: contentHash },
      ...{ passages: 7, passages_root: passagesRoot },
    },
  });
});

it('binds an accepted document by its name, its text and who may see it', () => {
  const contentHash = blake3Digest('text');
  const version = { ingestId: 'i', corpusId: 'c', docId: 'd', version: 3 };
  expect(acceptedDocument(version, { contentHash, shareability: 'private' })).toEqual({
    ...{ ingest_id: 'i', corpus_id: 'c', doc_id: 'd', version: 3, content_hash: contentHash, shareability: 'private' },
  });
});

it('has a receipt of its own for what a file was, which no table keeps', () => {
  const version = { ingestId: 'i', corpusId: 'c', docId: 'd', version: 3 };
  const body = acceptedDocument(version, { contentHash: blake3Digest('text'), shareability: 'private' });
  const event = { kind: 'ingest.accepted', actor: 'key:k', authMode: 'api_key' } as const;
  expect([standsAlone({ ...event, body }), standsAlone({ ...event, body: { ...body, file: {} } })]).toEqual([
    false,
    true,
  ]);
});

it('knows the kinds of batches', () => {
  const kinds = ['ingest.accepted', 'ingest.completed', ...Object.values(BATCH_KINDS)];
  expect(kinds.map((kind) => isOfBatch({ kind }))).toEqual([false, false, true, true]);
});
