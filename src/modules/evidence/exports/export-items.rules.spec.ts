import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CborError } from '../../../evidence/cbor.js';
import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import { encodeRetrieval, signReceipt } from '../../../evidence/receipt.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import type { StoredExecution, StoredRetrieval } from '../../../common/evidence-log/evidence-records.js';
import type { RecordFinding, RecordReport } from '../../../common/evidence-log/record-checks.js';
import {
  answerFinding,
  answerItem,
  citationItem,
  eventItem,
  outboxEventItem,
  recordFinding,
  recordItem,
  textFinding,
} from './export-items.rules.js';
import type { SourceState } from '../../knowledge/citations/source-states.types.js';
import type { CitedText } from './subjects.views.js';

const WHEN = new Date('2026-11-20T10:00:00.123Z');
const IN_WORDS = '2026-11-20T10:00:00.123Z';
const AT = { actor: 'key:1', occurredAt: WHEN, ingestedAt: WHEN, listedBy: { session: null, is_older: false } };
const members = (item: { value: object }) => Object.keys(item.value).sort();

const receipt = signReceipt(
  {
    ...{ kind: 'a.b', tenant_id: 'acme', stream: 'main', seq: 1, prev: null, occurred_at: IN_WORDS },
    ...{ actor: 'key:1', auth_mode: 'jwt_hs256', subject: 's', body: { n: 1 } },
  },
  SigningKey.generate(),
);
const stored: StoredExecution = {
  ...AT,
  ...{ family: 'execution', receiptId: 'another', stream: 'another', seq: 9, prevHash: null, payloadHash: 'another' },
  ...{ kind: 'another', subject: 'another', record: Buffer.from(receipt.cose) },
};

describe('a record', () => {
  it('is shown as its bytes say, whatever its row says', () => {
    const { item, authMode } = recordItem(stored);
    expect(authMode).toBe('jwt_hs256');
    expect([item.type, item.record]).toEqual(['receipt', blake3Digest(receipt.cose)]);
    expect(item.value).toEqual({
      cose: Uint8Array.from(receipt.cose),
      receipt_id: receipt.receiptId,
      payload_hash: receipt.payloadHash,
      ingested_at: IN_WORDS,
      payload: receipt.payload,
    });
  });

  it('of a retrieval is its CBOR under its own digest', () => {
    const payload = {
      ...({ v: 1, kind: 'retrieval', tenant_id: 'acme', occurred_at: IN_WORDS, actor: 'key:1' } as const),
      ...{ auth_mode: 'dev_scopes', nonce: new Uint8Array(randomBytes(16)), body: { lane: 'verified' } },
    };
    const { receiptId, bytes } = encodeRetrieval(payload);
    const row: StoredRetrieval = { ...AT, family: 'retrieval', receiptId: 'another', record: bytes };
    expect(recordItem(row)).toEqual({
      item: {
        ...{ type: 'retrieval', record: receiptId },
        value: { cbor: Uint8Array.from(bytes), receipt_id: receiptId, ingested_at: IN_WORDS, payload },
      },
      authMode: 'dev_scopes',
    });
  });

  it('that cannot be read is not shown', () => {
    const changed = Buffer.from(receipt.cose);
    changed[changed.indexOf('a.b')] = 0xff;
    for (const record of [changed, Buffer.from('rubbish'), Buffer.alloc(0)]) {
      expect(() => recordItem({ ...stored, record })).toThrow(CborError);
      expect(() => recordItem({ ...AT, family: 'retrieval', receiptId: 'r', record })).toThrow(CborError);
    }
  });
});

const answer = {
  ...{ answerId: 'answer-1', version: 2, agentId: 'agent', text: 'Yes.', recordedBy: 'key:1' },
  ...{ recordedAt: WHEN, receiptId: 'r', searchReceiptIds: ['secret'] },
};
const cited: CitedText = {
  ...{
    answerId: 'answer-1',
    version: 2,
    ordinal: 0,
    chunkId: 'chk_1',
    ownerTenantId: 'acme',
    corpusId: 'handbook',
    docId: 'leave',
  },
  ...{ docVersion: 3, title: 'Leave', url: null, content: 'Staff have 25 days.' },
  ...{ contentHash: blake3Digest('Staff have 25 days.'), start: 0, end: 5, quote: 'Staff', note: null },
};

const BINDING = { receipt_id: 'r', index: 1, path: [sha256Digest('sibling')], start: 0, end: 19 };
const bound = (text = cited) => citationItem(text, BINDING, 'acme');
const INGESTED = { ok: true, detail: '' };

const now = (state: SourceState) => ({ state, version: 1, standing: null, drift: [] });

describe('what is no record', () => {
  it('has exactly the members of docs/formats/export.md, and no digest in the log', () => {
    const event = {
      ...{ seq: 0, eventId: null, type: 'said', occurredAt: null, recordedAt: IN_WORDS, payload: { word: 'x' } },
      ...{ salt: Buffer.alloc(16), payloadDigest: blake3Digest('p'), digest: blake3Digest('d'), receiptId: 'r' },
    };
    const happened = { eventId: 'e', kind: 'k', subject: 's', data: { n: 1 }, occurredAt: WHEN };
    const items = [
      answerItem(answer),
      bound(),
      eventItem({ streamType: 'order', streamId: 'o-17' }, event),
      outboxEventItem(happened),
      textFinding(cited, now('holds'), INGESTED),
    ];
    expect(items.map((item) => [item.type, item.record, members(item).join(' ')])).toEqual([
      ['answer', null, 'agent_id answer_id receipt_id recorded_at recorded_by text text_hash version'],
      [
        'citation',
        null,
        'answer_id binding chunk_id content content_hash corpus_id doc_id doc_version end note note_hash ordinal quote quote_hash start title url version',
      ],
      [
        'event',
        null,
        'digest event_id occurred_at payload payload_digest receipt_id recorded_at salt seq stream_id stream_type type',
      ],
      ['happening', null, 'data event_id kind occurred_at subject'],
      ['finding', null, 'answer_id chunk_id drift ordinal source text version'],
    ]);
    expect(items[2]!.value.salt).toBeInstanceOf(Uint8Array);
    expect(items[2]!.value.salt).not.toBeInstanceOf(Buffer);
    expect(items[3]!.value).toMatchObject({ occurred_at: IN_WORDS, data: { n: 1 } });
  });

  it('has the digest of every text, and none where there is no text', () => {
    expect(answerItem(answer).value).toMatchObject({ text_hash: blake3Digest('Yes.'), recorded_at: IN_WORDS });
    expect(answerItem({ ...answer, text: null }).value).toMatchObject({ text: null, text_hash: null });
    expect(answerItem({ ...answer, text: '' }).value).toMatchObject({ text: '', text_hash: blake3Digest('') });
    const { value } = bound();
    expect(value).toMatchObject({ quote_hash: blake3Digest('Staff'), note: null, note_hash: null });
  });

  it('does not show a text with a digest that is not its own', () => {
    const changed = { ...cited, content: 'Staff have 52 days.' };
    expect(bound().value.content).toBe('Staff have 25 days.');
    expect(bound(changed).value).toMatchObject({ content: null, content_hash: cited.contentHash });
  });
});

describe('a text without a path to the receipt of its ingest', () => {
  it("is not shown where it is the tenant's own, and is where it is another's", () => {
    expect(bound().value.binding).toEqual(BINDING);
    expect(Object.keys(citationItem(cited, null, 'acme').value)).not.toContain('content');
    expect(citationItem(cited, null, 'reader').value).toMatchObject({ content: cited.content, binding: null });
  });
});

describe('a finding', () => {
  it.each([
    [true, 'intact'],
    [false, 'changed'],
  ])('of an answer that is as attested: %s', (isAsAttested, said) => {
    const value = { answer_id: answer.answerId, version: answer.version, answer: said };
    expect(answerFinding(answer, isAsAttested)).toEqual({ type: 'finding', record: null, value });
  });

  it('about a text says whether it is what was recorded, and where its source stands', () => {
    const changed = { ...cited, content: 'Staff have 52 days.' };
    expect(textFinding(cited, now('unavailable'), INGESTED).value).toMatchObject({
      text: 'intact',
      source: 'unavailable',
      chunk_id: 'chk_1',
    });
    expect(textFinding(changed, now('holds'), INGESTED).value).toMatchObject({ text: 'changed', source: 'holds' });
    expect(textFinding(cited, now('holds'), { ok: false, detail: 'others' }).value.text).toBe('changed');
  });

  it('about a record has codes alone, and none where the question does not arise', () => {
    const finding = (ok: boolean | null, code: RecordFinding['code']) => ({ ok, code, detail: `${code} of 17 leaves` });
    const report: RecordReport = {
      record: finding(true, 'OK'),
      signature: { ...finding(false, 'SIGNATURE_INVALID'), kid: 'k' },
      chain: finding(null, 'OK'),
      log: { ...finding(false, 'NOT_LOGGED'), leafIndex: null, treeSize: 17 },
      authMode: 'off',
    };
    expect(recordFinding('r', report)).toEqual({
      ...{ type: 'finding', record: null },
      value: { receipt_id: 'r', record: 'OK', signature: 'SIGNATURE_INVALID', chain: null, log: 'NOT_LOGGED' },
    });
  });
});
