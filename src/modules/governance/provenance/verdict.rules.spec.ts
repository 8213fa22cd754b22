import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAuthority, type TestAuthority } from '../../../../test/kit/signing-chain.js';
import { digestsOf, draftProvenance } from '../../../evidence/forms/provenance-envelope.js';
import { signBytes } from '../../../evidence/forms/provenance-keys.js';
import { readChain } from './chain.rules.js';
import { judgeEnvelope } from './verdict.rules.js';

const CONTENT = Buffer.from('content');
let authority: TestAuthority;
let envelope: Uint8Array;
beforeAll(async () => {
  authority = await startAuthority();
  const { key, chain: pem } = await authority.certify('P-256');
  const chain = readChain(pem);
  const stated = { digests: digestsOf(CONTENT), contentType: 'text/plain', manifest: { a: 1 }, chain, keyId: 'k' };
  const draft = draftProvenance(stated, 'urn:test');
  envelope = draft.with(signBytes(createPrivateKey(key), draft.toBeSigned));
});
afterAll(() => authority.close());

const judge = (bytes: Uint8Array, content = CONTENT) =>
  judgeEnvelope(bytes, { content, roots: readChain(authority.root), time: new Date() });

describe('the verdict on an envelope', () => {
  it('is four times true where all holds', () => {
    expect(judge(envelope)).toMatchObject({
      signature_valid: true,
      content_match: true,
      chain: { valid: true, trusted: true },
      manifest: { a: 1 },
      errors: [],
    });
  });

  it('says what does not hold', () => {
    expect(judge(envelope, Buffer.from('other')).errors).toEqual([expect.stringMatching(/^content_mismatch: /)]);
    const text = Buffer.from(envelope).toString();
    const codesOf = (changed: string) => judge(Buffer.from(changed)).errors.map((error) => error.split(':')[0]);
    expect(codesOf(text.replace('"keyid":"k"', '"keyid":"j"'))).toEqual(['statement_malformed', 'content_mismatch']);
    expect(codesOf(text.replace(/"sig":"..../, '"sig":"AAAA'))).toEqual(['signature_invalid']);
    expect(codesOf(`${text}\n`)).toEqual(['envelope_malformed']);
    expect(codesOf('{}')).toEqual(['envelope_foreign']);
    expect(codesOf('')).toEqual(['envelope_malformed']);
  });
});
