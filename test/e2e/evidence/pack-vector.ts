import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3, blake3Digest, type Digest, namedDigest } from '../../../src/evidence/digest.js';
import type { FileTimestamp } from '../../../src/evidence/file-timestamps.js';
import { BATCH_ACCEPTED, BATCH_COMPLETED, documentLeaf } from '../../../src/evidence/ingest-batch.js';
import { pathToRoot, rootOfLeaves } from '../../../src/evidence/leaf-tree.js';
import { logLeafHash } from '../../../src/evidence/log-entry.js';
import { consistencyRanges, inclusionRanges, leafHash } from '../../../src/evidence/merkle.js';
import { PassageTree } from '../../../src/evidence/passage-tree.js';
import { encodeRetrieval, type ReceiptPayload, signReceipt } from '../../../src/evidence/receipt.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { appendLeaves, hashOfRange, TileSet } from '../../../src/evidence/tiles.js';
import { signCheckpoint, signPack } from '../../kit/signed-forms.js';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');
const read = (name: string): any => JSON.parse(readFileSync(join(VECTORS, name), 'utf8'));
const keys = read('keys.json');
const key = SigningKey.fromPem(keys.pkcs8_pem);

const ORIGIN = 'log.example/svc';
/** The document of the vectors: its passages are its three sentences. */
const SENTENCES = ['A receipt is signed.', 'Every receipt names the one before it.', 'None can be left out unseen.'];
const DOCUMENT = SENTENCES.join(' ');
const TEXT = SENTENCES[1]!;
const document = { corpus_id: 'handbook', doc_id: 'evidence.md', version: 1 };
const cited = { chunk_id: 'chk_5f0c', content_hash: blake3Digest(TEXT), ...document };

const tree = new PassageTree(
  SENTENCES.map((text, n) => {
    const start = DOCUMENT.indexOf(text);
    return { chunkId: `chk_5f0${'bcd'[n]!}`, contentHash: blake3Digest(text), start, end: start + text.length };
  }),
);

function receipt(fields: Pick<ReceiptPayload, 'kind' | 'subject' | 'body'> & Partial<ReceiptPayload>) {
  const common = { tenant_id: 'acme', stream: 'main', actor: 'key:0b0e1f6a', auth_mode: 'api_key' };
  return signReceipt({ ...common, seq: 1, prev: null, occurred_at: '2026-11-20T10:00:00.000Z', ...fields }, key);
}

const ingested = { ingest_id: 'ingest-1', ...document, content_hash: blake3Digest(DOCUMENT) };
const COMPLETED = { ...ingested, passages: SENTENCES.length, passages_root: tree.root };
const ACCEPTED = { ...ingested, shareability: 'owner_only' };

/** The second of three documents that are the same but for their names. */
function batchOf(one: typeof ACCEPTED | typeof COMPLETED) {
  const leaves = [1, 2, 3].map((n) =>
    documentLeaf(n === 2 ? one : { ...one, ingest_id: `ingest-${n + 1}`, doc_id: `${n}` }),
  );
  const path = pathToRoot(leaves, 1).map((hash) => namedDigest('sha256', hash));
  return { body: { count: 3, root: namedDigest('sha256', rootOfLeaves(leaves)) }, place: { index: 1, path } };
}

function records(isBatched: boolean) {
  const by = { stream: 'ingest', actor: 'svc:ingest', auth_mode: 'system', occurred_at: '2026-11-20T09:59:57.000Z' };
  const completed = isBatched
    ? receipt({ ...by, kind: BATCH_COMPLETED, subject: 'documents', body: batchOf(COMPLETED).body })
    : receipt({ ...by, kind: 'ingest.completed', subject: 'ingest-1', body: COMPLETED });
  const accepted = isBatched
    ? receipt({
        ...{ kind: BATCH_ACCEPTED, subject: 'documents', body: batchOf(ACCEPTED).body },
        occurred_at: '2026-11-20T09:59:56.000Z',
      })
    : undefined;
  const recorded = receipt({
    ...{ kind: 'answer.recorded', subject: 'answer-1' },
    ...(accepted && { seq: 2, prev: accepted.payloadHash }),
    body: {
      ...{ agent_id: 'agent', answer_id: 'answer-1', version: 1, answer_hash: blake3Digest(TEXT) },
      citations: [{ ...cited, source: 'tenant', quote_hash: blake3Digest('names the one before it') }],
    },
  });
  const proven = receipt({
    ...{ kind: 'proof.completed', subject: 'job-1', seq: recorded.payload.seq + 1, prev: recorded.payloadHash },
    occurred_at: '2026-11-20T10:00:01.250Z',
    body: { checks: [{ name: 'hash', ok: true }], job_id: 'job-1', score: 0.75 },
  });
  const [{ fields }] = read('receipts.json').retrieval;
  const retrieval = encodeRetrieval({ ...fields, nonce: Uint8Array.from(Buffer.from(fields.nonce, 'hex')) });
  return { completed, accepted, recorded, proven, retrieval };
}

/**
 * docs/formats/vectors/sound.svcpack: an answer, a proof, a retrieval and the ingest of what they name; batch.svcpack:
 * the same where the document came with others.
 */
export function packVector(timestamps?: readonly FileTimestamp[], isBatched = false): Uint8Array {
  const { completed, accepted, recorded, proven, retrieval } = records(isBatched);
  const receipts = [completed, ...(accepted ? [accepted] : []), recorded, proven];
  const log = logOf([
    ...receipts.map(({ cose }) => logLeafHash('execution', blake3(cose))),
    logLeafHash('retrieval', blake3(retrieval.bytes)),
    ...read('log.json')
      .entries.slice(receipts.length + 1)
      .map(({ entry }: { entry: string }) => leafHash(Buffer.from(entry))),
  ]);
  const start = DOCUMENT.indexOf(TEXT);
  const place = { receipt_id: completed.receiptId, index: 1, path: tree.pathOf(1), start, end: start + TEXT.length };
  const binding = accepted ? { ...place, ...batchPlaces(accepted.receiptId) } : place;
  const chunk = { ...cited, content: TEXT, binding };
  return signPack(
    {
      checkpoint: log.checkpoint(8),
      chunks: [recorded.receiptId, retrieval.receiptId].map((receipt_id) => ({ ...chunk, receipt_id })),
      consistency: [{ checkpoint: log.checkpoint(3), path: log.hashesOf(consistencyRanges(3, 8)) }],
      epoch: null,
      keys: [keys.jwk],
      made_at: '2026-11-20T10:00:02.000Z',
      receipts: receipts.map((one, n) => ({ ...log.place(n), cose: base64(one.cose), receipt_id: one.receiptId })),
      retrievals: [{ ...log.place(receipts.length), cbor: base64(retrieval.bytes), receipt_id: retrieval.receiptId }],
      statements: [],
      subject: { id: 'answer-1', type: 'answer' },
      tenant_id: 'acme',
      ...(timestamps && { timestamps }),
    },
    key,
  );
}

function batchPlaces(receipt_id: string) {
  const { ingest_id, content_hash, passages, passages_root } = COMPLETED;
  const { shareability } = ACCEPTED;
  return {
    document: { ...batchOf(COMPLETED).place, ingest_id, content_hash, passages, passages_root },
    accepted: { ...batchOf(ACCEPTED).place, ingest_id, content_hash, shareability, receipt_id },
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function logOf(leaves: Uint8Array[]) {
  const tiles = new TileSet();
  appendLeaves(0, leaves, tiles);
  const hashOf = (range: { start: number; end: number }): Digest => namedDigest('sha256', hashOfRange(range, tiles));
  return {
    checkpoint: (size: number) =>
      signCheckpoint(ORIGIN, { size, root: hashOfRange({ start: 0, end: size }, tiles) }, key),
    hashesOf: (ranges: { start: number; end: number }[]) => ranges.map(hashOf),
    place: (index: number) => ({
      leaf_index: index,
      path: inclusionRanges(index, leaves.length).map(hashOf),
    }),
  };
}
