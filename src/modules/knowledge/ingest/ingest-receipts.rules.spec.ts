import { expect, it } from 'vitest';
import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import { completionOf } from './ingest-receipts.rules.js';

it('has exactly the members of docs/formats/receipts.md, in a chain of its own, by the server itself', () => {
  const version = { ingestId: 'i', corpusId: 'c', docId: 'd', version: 3 };
  const [contentHash, passagesRoot] = [blake3Digest('text'), sha256Digest('root')];
  expect(completionOf(version, { contentHash, passagesRoot, chunks: { length: 7 } })).toEqual({
    ...{ kind: 'ingest.completed', actor: 'svc:ingest', authMode: 'system', stream: 'ingest', subject: 'i' },
    body: {
      ...{ ingest_id: 'i', corpus_id: 'c', doc_id: 'd', version: 3, content_hash: contentHash },
      ...{ passages: 7, passages_root: passagesRoot },
    },
  });
});
