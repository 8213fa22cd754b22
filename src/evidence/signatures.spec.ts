import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeExactly } from './base64.js';
import { parseCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { parseCose, verifyCose } from './cose.js';
import { blake3, blake3Digest, digestBytes } from './digest.js';
import { openReceipt, receiptIdOf, signReceipt } from './receipt.js';
import { noteVerifierKey, parseNote, parseNoteVerifierKey, verifyNote } from './signed-note.js';
import { SigningKey, thumbprint, VerifyingKey, verifyingKeyFromPem } from './signing-key.js';
import { signCheckpoint, signCose, signNote } from '../../test/kit/signed-forms.js';

const key = SigningKey.generate();
const other = SigningKey.generate();

describe('keys', () => {
  it('has the thumbprint of RFC 8037 appendix A.3', () => {
    expect(thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    );
  });

  it('comes back from PEM and JWK', () => {
    expect(SigningKey.fromPem(key.toPem()).kid).toBe(key.kid);
    expect(verifyingKeyFromPem(key.toPem()).kid).toBe(key.kid);
    const jwk = key.publicKey.toJwk(new Date(1_500), new Date(2_500));
    expect(new VerifyingKey(Buffer.from(jwk.x, 'base64url')).kid).toBe(jwk.kid);
    expect([jwk.nbf, jwk.exp]).toEqual([1, 3]);
  });

  it('refuses keys of other kinds', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const pem = rsa.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => SigningKey.fromPem(pem)).toThrow('must be Ed25519');
    expect(() => verifyingKeyFromPem(pem)).toThrow('Ed25519');
    expect(() => new VerifyingKey(new Uint8Array(31))).toThrow('32 bytes');
  });
});

describe('bytes as text', () => {
  it('are read as they are written', () => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from([251, 255, 1, 2]).toString(encoding);
      expect([...decodeExactly(text, encoding, 4)!]).toEqual([251, 255, 1, 2]);
      expect(decodeExactly(text, encoding)).toBeDefined();
      expect(decodeExactly(text, encoding, 3)).toBeUndefined();
      expect(decodeExactly('', encoding)).toHaveLength(0);
      expect(decodeExactly('A'.repeat(1_000), encoding, 4)).toBeUndefined();
      expect([undefined, null, 7].map((value) => decodeExactly(value, encoding))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  it('are read of one text alone: no spare bits, padding, line breaks or letters of another alphabet', () => {
    expect(decodeExactly('AQ', 'base64url')).toEqual(Buffer.from([1]));
    for (const text of ['AR', 'AQ==', 'A Q', 'AQ\n', '+/8']) expect(decodeExactly(text, 'base64url')).toBeUndefined();
    expect(decodeExactly('AQ==', 'base64')).toEqual(Buffer.from([1]));
    for (const text of ['AQ', 'AR==', 'AQ=', 'AQ==\n', '-_8=']) expect(decodeExactly(text, 'base64')).toBeUndefined();
  });
});

describe('COSE_Sign1', () => {
  const payload = Buffer.from('payload');

  it('verifies under its own key and payload only', () => {
    const message = parseCose(signCose(key, 'text/plain', payload));
    expect(verifyCose(message, key.publicKey)).toBe(true);
    expect(verifyCose(message, other.publicKey)).toBe(false);
    expect(verifyCose({ ...message, payload: Buffer.from('payloae') }, key.publicKey)).toBe(false);
    expect(verifyCose({ ...message, kid: other.kid }, key.publicKey)).toBe(false);
  });

  it('verifies a detached payload when it is given, and then only', () => {
    const message = parseCose(signCose(key, 'text/plain', payload, true));
    expect(message.payload).toBeNull();
    expect(verifyCose(message, key.publicKey, payload)).toBe(true);
    expect(verifyCose(message, key.publicKey)).toBe(false);
    const whole = parseCose(signCose(key, 'text/plain', payload));
    expect(verifyCose(whole, key.publicKey, payload)).toBe(false);
  });

  it('refuses every byte that another encoder might have written', () => {
    const message = Buffer.from(signCose(key, 'text/plain', payload));
    expect(() => parseCose(message.subarray(1))).toThrow('tag 18');
    const unprotected = Buffer.from(message.toString('hex').replace('a047', 'a10102' + '47'), 'hex');
    expect(() => parseCose(unprotected)).toThrow('the unprotected header must be empty');
    expect(() => parseCose(Buffer.concat([message, Buffer.of(0)]))).toThrow();
  });
});

describe('receipts', () => {
  const fields = {
    kind: 'a.b',
    tenant_id: 't',
    stream: 'main',
    seq: 1,
    prev: null,
    occurred_at: '2026-11-20T10:00:00.000Z',
    actor: 'key:1',
    auth_mode: 'api_key',
    subject: 's',
    body: { n: 1 },
  };

  it('makes the id a UUID of version 8 from the payload hash', () => {
    expect(receiptIdOf(new Uint8Array(32).fill(0xff))).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
    expect(receiptIdOf(new Uint8Array(32))).toBe('00000000-0000-8000-8000-000000000000');
    const sealed = signReceipt(fields, key);
    expect(sealed.receiptId).toBe(receiptIdOf(digestBytes('blake3', sealed.payloadHash)));
    expect(openReceipt(sealed.cose)).toEqual({ ...sealed, kid: key.kid });
  });

  it('refuses a payload that says something impossible', () => {
    const opened = (changes: object) => () => openReceipt(signReceipt({ ...fields, ...changes }, key).cose);
    expect(opened({ seq: 0 })).toThrow('seq must be an integer from 1');
    expect(opened({ seq: 2 })).toThrow('prev must be null for seq 1, and only there');
    expect(opened({ prev: blake3Digest('x') })).toThrow('prev must be null for seq 1, and only there');
    expect(opened({ occurred_at: '2026-11-20 10:00' })).toThrow('occurred_at');
    expect(opened({ extra: 1 })).toThrow('members must be');
    expect(opened({ seq: 2, prev: 'sha256:00' })).toThrow('prev must be blake3');
  });
});

describe('signed notes', () => {
  // The example of golang.org/x/mod/sumdb/note, the implementation the format comes from.
  const PUBLISHED = {
    key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    note:
      'If you think cryptography is the answer to your problem,\n' +
      "then you don't know what your problem is.\n\n" +
      '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
  };

  it('verifies a note that another implementation signed', () => {
    const verifier = parseNoteVerifierKey(PUBLISHED.key);
    expect(noteVerifierKey(verifier.name, verifier.key.bytes)).toBe(PUBLISHED.key);
    const note = parseNote(PUBLISHED.note);
    expect(verifyNote(note, verifier.name, verifier.key)).toBe(true);
    expect(verifyNote({ ...note, text: note.text.replace('answer', 'Answer') }, verifier.name, verifier.key)).toBe(
      false,
    );
    expect(verifyNote(note, 'SomeoneElse', verifier.key)).toBe(false);
  });

  it('ignores signatures by unknown keys and needs one by the known key', () => {
    const text = 'hello\n';
    const line = signNote(text, 'b.example', other).slice(text.length + 1);
    const both = parseNote(signNote(text, 'a.example', key) + line);
    expect(verifyNote(both, 'a.example', key.publicKey)).toBe(true);
    expect(verifyNote(parseNote(`${text}\n${line}`), 'a.example', key.publicKey)).toBe(false);
    for (const name of ['a b', 'a+b', 'a\u0085b']) expect(() => signNote(text, name, key)).toThrow('key name');
  });

  it.each([
    '',
    'text\n',
    'text\n\n',
    'text\n\n- a AAAAAAAA\n',
    'text\n\n\u2014 a AAAA\n',
    'te\txt\n\n\u2014 a AAAAAAAA\n',
  ])('refuses %j', (note) => {
    expect(() => parseNote(note)).toThrow();
  });

  it('refuses a verifier key whose id does not fit', () => {
    expect(() => parseNoteVerifierKey(PUBLISHED.key.replace('c74f', 'c74e'))).toThrow('does not fit');
    expect(() => parseNoteVerifierKey('x')).toThrow('not a note verifier key');
  });
});

describe('checkpoints', () => {
  const head = { size: 20852163, root: createHash('sha256').update('x').digest() };

  it('comes back and verifies', () => {
    const checkpoint = parseCheckpoint(signCheckpoint('example.com/log', head, key));
    expect([checkpoint.origin, checkpoint.size, Buffer.from(checkpoint.root)]).toEqual([
      'example.com/log',
      head.size,
      head.root,
    ]);
    expect(verifyCheckpoint(checkpoint, key.publicKey)).toBe(true);
    expect(verifyCheckpoint(checkpoint, other.publicKey)).toBe(false);
  });

  it.each([
    ['a leading zero', (text: string) => text.replace('20852163', '020852163')],
    ['a sign', (text: string) => text.replace('20852163', '+20852163')],
    ['a negative size', (text: string) => text.replace('20852163', '-20852163')],
    ['an extension line', (text: string) => text.replace('=\n\n', '=\nmore\n\n')],
    ['a short root', (text: string) => text.replace(/63\n.{4}/, '63\n')],
    ['no origin', (text: string) => text.replace('example.com/log\n', '\n')],
  ])('refuses %s', (_what, change) => {
    expect(() => parseCheckpoint(change(signCheckpoint('example.com/log', head, key)))).toThrow();
  });
});

describe('BLAKE3', () => {
  it('gives the published hashes of nothing and of the byte 0', () => {
    expect(Buffer.from(blake3('')).toString('hex')).toBe(
      'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262',
    );
    expect(blake3Digest(Uint8Array.of(0))).toBe(
      'blake3:2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213',
    );
    expect(() => digestBytes('blake3', 'sha256:00')).toThrow('expected blake3:');
  });
});
