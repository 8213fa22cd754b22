import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCanonical } from '../../../src/evidence/cbor.js';
import { blake3, blake3Digest, namedDigest } from '../../../src/evidence/digest.js';
import { SignedExport, type DraftItem } from '../../../src/evidence/export/sign-export.js';
import type { ExportFile } from '../../../src/evidence/export/export-format.js';
import type { FileTimestamp } from '../../../src/evidence/file-timestamps.js';
import { redactionOf, withheldFields } from '../../../src/modules/evidence/exports/redaction.rules.js';
import { openReceipt, openRetrieval } from '../../../src/evidence/receipt.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');
const read = (name: string): any => JSON.parse(readFileSync(join(VECTORS, name), 'utf8'));

/** The export of docs/formats/vectors: the records of the proof pack there, its text, and an event of a stream. */
export async function exportVector(
  timestamps: readonly FileTimestamp[] = [],
): Promise<{ full: ExportFile; redacted: ExportFile }> {
  const pack = read('sound.svcpack');
  const keys = read('keys.json');
  const [chunk] = pack.chunks;
  const receipts = pack.receipts.map((one: any) => receiptItem(Buffer.from(one.cose, 'base64')));
  const retrievals = pack.retrievals.map((one: any) => retrievalItem(Buffer.from(one.cbor, 'base64')));
  const text = 'Every receipt names the one before it.';
  const answer: DraftItem = {
    type: 'answer',
    record: null,
    value: {
      ...{ answer_id: 'answer-1', version: 1, agent_id: 'agent', text, text_hash: blake3Digest(text) },
      ...{ recorded_by: 'key:0b0e1f6a', recorded_at: '2026-11-20T10:00:00.000Z', receipt_id: chunk.receipt_id },
    },
  };
  const citation: DraftItem = {
    type: 'citation',
    record: null,
    value: {
      ...{ answer_id: 'answer-1', version: 1, ordinal: 0, chunk_id: chunk.chunk_id, corpus_id: chunk.corpus_id },
      ...{ doc_id: chunk.doc_id, doc_version: 1, title: null, url: null, content: chunk.content },
      ...{
        binding: chunk.binding,
        content_hash: chunk.content_hash,
        start: 14,
        end: 37,
        quote: 'names the one before it',
      },
      ...{ quote_hash: blake3Digest('names the one before it'), note: null, note_hash: null },
    },
  };
  const items: DraftItem[] = [...receipts, ...retrievals, answer, citation, eventItem()];
  const sealed = await SignedExport.sign(
    {
      tenantId: 'acme',
      subject: 'answer',
      subjectId: 'answer-1',
      mode: 'audit',
      complete: true,
      authModes: ['api_key', 'system'],
      items,
    },
    Buffer.alloc(32, 7),
    { active: SigningKey.fromPem(keys.pkcs8_pem), keys: [keys.jwk], statements: [] },
  );
  const log = {
    checkpoint: pack.checkpoint,
    consistency: pack.consistency,
    epoch: null,
    timestamps,
    proofs: [...pack.receipts, ...pack.retrievals].map(({ leaf_index, path }: any) => ({ leaf_index, path })),
  };
  const redaction = redactionOf('items.*.content,quote,payload.body');
  const withheld = withheldFields(sealed.fields, items.map(typeOf), redaction);
  return { full: sealed.show(() => true, log), redacted: sealed.show((field) => !withheld.has(field), log) };
}

const typeOf = ({ type }: DraftItem): string => type;
const INGESTED = '2026-11-20T10:00:02.000Z';

function receiptItem(bytes: Uint8Array): DraftItem {
  const cose = Uint8Array.from(bytes);
  const { receiptId, payloadHash, payload } = openReceipt(cose);
  const value = { cose, receipt_id: receiptId, payload_hash: payloadHash, ingested_at: INGESTED };
  return {
    type: 'receipt',
    record: namedDigest('blake3', blake3(cose)),
    value: { ...value, payload: { ...payload } },
  };
}

function retrievalItem(bytes: Uint8Array): DraftItem {
  const cbor = Uint8Array.from(bytes);
  const { receiptId, payload } = openRetrieval(cbor);
  const value = { cbor, receipt_id: receiptId, ingested_at: INGESTED };
  return { type: 'retrieval', record: receiptId, value: { ...value, payload: { ...payload } } };
}

function eventItem(): DraftItem {
  const salt = Uint8Array.from({ length: 16 }, (_, n) => n);
  const payload = { amount: 12.5, tags: [], note: 'd\u00e9j\u00e0 vu \u{1f4dc}', nested: { yes: true, no: null } };
  const payload_digest = namedDigest('blake3', blake3(Buffer.concat([salt, encodeCanonical(payload)])));
  const core = {
    ...{ stream_type: 'ledger', stream_id: 'may', seq: 0, event_id: null, type: 'booked' },
    ...{ occurred_at: '2026-11-20T09:00:00.000Z', payload_digest },
  };
  const digest = blake3Digest(encodeCanonical({ v: 1, tenant_id: 'acme', ...core }));
  const about = { recorded_at: INGESTED, payload, salt, digest, receipt_id: '00000000-0000-8000-8000-000000000000' };
  return { type: 'event', record: null, value: { ...core, ...about } };
}
