import { describe, expect, it } from 'vitest';
import { VerifyingKey } from '../../../evidence/signing-key.js';
import type { ImportEnvelopeRequest } from './envelopes.dto.js';
import { ContentHashMismatch } from './envelopes.problems.js';
import {
  artefactIdOf,
  canonicalPayload,
  checkNames,
  parseSignature,
  readPayload,
  signedMessageOf,
} from './envelopes.rules.js';

/** The example of docs/formats/result-envelope.md. */
const HASH = 'blake3:9332dc329e01bef8776380f172a92bee73986256e2a12cc4a696398f87479e1e';
const KEY_ID = '1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y';
const SIGNATURE = 'XE_CM2hZkk70FSjTXJ_Z0CUqZxstv7vsjF6-ce1g0XYfEpFRSs1nedQVZJZzPVLeAktdSzTtwC07wVBoaNX6Ag';
const MESSAGE = `svc-result-envelope-v1\n{"blake3_content_hash":"${HASH}","companion_artifacts":[],"credit_spend_receipt":null,"job_id":"job-1","passport_fpr":null,"schema_version":1,"tenant_id":"default"}`;
const PAYLOAD = '{"facts":[{"entity":"user:ada","key":"city","value":"London"}],"purpose_tag":"research"}';

const envelope = (members: Partial<ImportEnvelopeRequest> = {}): ImportEnvelopeRequest => ({
  ...{ schema_version: 1, job_id: 'job-1', tenant_id: 'default', blake3_content_hash: HASH },
  payload: { purpose_tag: 'research', facts: [{ value: 'London', key: 'city', entity: 'user:ada' }] },
  platform_signature: `${KEY_ID}.${SIGNATURE}`,
  ...members,
});
const messageOf = (members: Partial<ImportEnvelopeRequest> = {}) =>
  Buffer.from(signedMessageOf(envelope(members))).toString('utf8');
const companion = { name: 'report.pdf', blake3_content_hash: HASH };

describe('the signed message', () => {
  it('is that of the documented example, under its signature', () => {
    expect(messageOf()).toBe(MESSAGE);
    const key = new VerifyingKey(Buffer.from('A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg', 'base64url'));
    const { keyId, signature } = parseSignature(envelope().platform_signature)!;
    expect([keyId, key.verify(Buffer.from(MESSAGE), signature)]).toEqual([KEY_ID, true]);
  });

  it('covers everything of the envelope but the payload, which its hash stands for', () => {
    const others: Partial<ImportEnvelopeRequest>[] = [
      {},
      { schema_version: 2 },
      { job_id: 'job-2' },
      { tenant_id: 'other' },
      { blake3_content_hash: HASH.replace('9', '8') },
      { passport_fpr: 'f' },
      { credit_spend_receipt: 'r' },
      { companion_artifacts: [companion] },
      { companion_artifacts: [{ ...companion, media_type: 'application/pdf' }] },
      { companion_artifacts: [{ ...companion, size_bytes: 0 }] },
      { companion_artifacts: [companion, { ...companion, name: 'b' }] },
      { companion_artifacts: [{ ...companion, name: 'b' }, companion] },
    ];
    expect(new Set(others.map(messageOf)).size).toBe(others.length);
    expect(messageOf({ payload: {} })).toBe(MESSAGE);
    expect(messageOf({ companion_artifacts: [] })).toBe(MESSAGE);
  });

  it('has null for what is not known of a companion, and nothing but its four members', () => {
    const more = { ...companion, secret: 'x' };
    expect(messageOf({ companion_artifacts: [more] })).toContain(
      `"companion_artifacts":[{"blake3_content_hash":"${HASH}","media_type":null,"name":"report.pdf","size_bytes":null}]`,
    );
  });
});

describe('the platform signature', () => {
  it('may have a key id with dots in it, of up to 512 characters', () => {
    for (const keyId of ['k', 'a.b.', 'k'.repeat(512)])
      expect(parseSignature(`${keyId}.${SIGNATURE}`)?.keyId).toBe(keyId);
    expect(parseSignature(`k.${SIGNATURE}`)?.signature).toHaveLength(64);
  });

  it.each([
    ['no key id', SIGNATURE],
    ['an empty key id', `.${SIGNATURE}`],
    ['a key id that is too long', `${'k'.repeat(513)}.${SIGNATURE}`],
    ['a byte less', `k.${SIGNATURE.slice(0, 84)}`],
    ['a character less', `k.${SIGNATURE.slice(1)}`],
    ['a character more', `k.${SIGNATURE}A`],
    ['padding', `k.${SIGNATURE}==`],
    ['another alphabet', `k.${SIGNATURE.replace('_', '/')}`],
    ['a spare bit that is set', `k.${SIGNATURE.slice(0, -1)}h`],
    ['a newline after it', `k.${SIGNATURE}\n`],
    ['nothing', ''],
  ])('is none with %s', (_what, text) => expect(parseSignature(text)).toBeUndefined());
});

describe('the payload', () => {
  it('has the hash of its canonical JSON', () => {
    const { bytes, hash } = canonicalPayload(envelope());
    expect([Buffer.from(bytes).toString('utf8'), `blake3:${Buffer.from(hash).toString('hex')}`]).toEqual([
      PAYLOAD,
      HASH,
    ]);
  });

  it('with another hash is refused with the one that it has', () => {
    const claimed = `blake3:${'0'.repeat(64)}`;
    const facts = { blake3_content_hash: claimed, actual_content_hash: HASH };
    const check = () => canonicalPayload(envelope({ blake3_content_hash: claimed }));
    expect(check).toThrow(ContentHashMismatch);
    expect(check).toThrow(expect.objectContaining({ facts }));
  });

  it('holds no whole number that lost digits, and says where it is', () => {
    const payload = { list: [1, { n: 2 ** 53 }] };
    expect(() => canonicalPayload(envelope({ payload }))).toThrow('body.payload.list[1].n: is a whole number past');
    const exact = { list: [2 ** 53 - 1, 1 - 2 ** 53, 0.5] };
    expect(() => canonicalPayload(envelope({ payload: exact }))).toThrow(ContentHashMismatch);
  });

  it('holds up to two million values, lists and objects counted', () => {
    // A number that is refused, after all others: the count alone decides which refusal it is.
    const check = (count: number) => () => {
      const lists = Array<null[]>(1_997).fill(Array<null>(1_000).fill(null));
      const rest = Array<null>(count - 1_999_001).fill(null);
      return canonicalPayload(envelope({ payload: { lists, rest, last: 2 ** 53 } }));
    };
    expect(check(2_000_000)).toThrow('body.payload.last: is a whole number past');
    expect(check(2_000_001)).toThrow('body.payload: holds more than 2000000 values; divide it');
  });

  it('is read by the members that have a meaning alone', () => {
    const read = readPayload({ facts: [{ any: 'thing' }], note: 'ours', purpose_tag: 'research' });
    expect(read).toEqual({ schema: 'svc.result', purpose_tag: 'research', facts: [{ any: 'thing' }] });
    expect(readPayload({ schema: 'acme.report' }).schema).toBe('acme.report');
  });

  it.each<[Record<string, unknown>, string]>([
    [{ facts: {} }, 'body.payload.facts'],
    [{ entities: 'none' }, 'body.payload.entities'],
    [{ edges: Array(10_001).fill({}) }, 'body.payload.edges'],
    [{ schema: '' }, 'body.payload.schema'],
    [{ purpose_tag: 'p'.repeat(121) }, 'body.payload.purpose_tag'],
  ])('%# is refused by its member', (payload, path) => {
    expect(() => readPayload(payload)).toThrow(`${path}: `);
  });
});

describe('the names of an envelope', () => {
  it('have a job id of at most 1,024 bytes', () => {
    expect(() => checkNames(envelope({ job_id: 'é'.repeat(512) }))).not.toThrow();
    expect(() => checkNames(envelope({ job_id: `${'é'.repeat(512)}x` }))).toThrow(
      'body.job_id: must not be longer than 1024 bytes in UTF-8',
    );
  });

  it('name each companion once', () => {
    const other = { ...companion, name: 'Report.pdf' };
    expect(() => checkNames(envelope({ companion_artifacts: [companion, other] }))).not.toThrow();
    expect(() => checkNames(envelope({ companion_artifacts: [companion, other, companion] }))).toThrow(
      'body.companion_artifacts[2].name: stands for another artifact too',
    );
  });
});

it('an artefact is named by tenant, job and hash', () => {
  const ids = [{}, { tenant_id: 'other' }, { job_id: 'job-2' }, { blake3_content_hash: HASH.replace('9', '8') }];
  const named = ids.map((members) => artefactIdOf(envelope(members)));
  expect(new Set(named).size).toBe(ids.length);
  for (const id of named) expect(id).toMatch(/^art_[0-9a-f]{32}$/);
  expect(artefactIdOf(envelope({ payload: {}, platform_signature: 'x' }))).toBe(named[0]);
});
