import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../evidence/signing-key.js';
import { contentDigestOf } from './content-digest.js';
import { coveredBy } from './peer-request.js';
import { draftSignature, parseSignature } from './request-signature.js';

const FORMATS = join(import.meta.dirname, '../../../docs/formats');
const VECTORS = JSON.parse(readFileSync(join(FORMATS, 'vectors/peer-requests.json'), 'utf8')) as {
  keys: Record<'peer' | 'recipient' | 'delegate', { seed_hex: string; public_key: string; keyid: string }>;
  requests: {
    signed_by: 'peer' | 'delegate';
    method: string;
    target_uri: string;
    body: string;
    nonce: string;
    delegation?: string;
    created: number;
    expires: number;
    signature_base: string;
    headers: Record<string, string>;
  }[];
};
const PAGE = readFileSync(join(FORMATS, 'peer-requests.md'), 'utf8');

/** PKCS#8 of a seed (RFC 8410). */
const keyOf = (seedHex: string): SigningKey => {
  const der = Buffer.from(`302e020100300506032b657004220420${seedHex}`, 'hex').toString('base64');
  return SigningKey.fromPem(`-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`);
};

describe('docs/formats/vectors/peer-requests.json', () => {
  it.each(Object.entries(VECTORS.keys))('has the key %s', (_, { seed_hex, public_key, keyid }) => {
    const key = keyOf(seed_hex);
    expect([Buffer.from(key.publicKey.bytes).toString('base64url'), key.kid]).toEqual([public_key, keyid]);
  });

  it.each(VECTORS.requests)('has the bytes of a request by the $signed_by', (vector) => {
    const { method, target_uri, body, nonce, delegation, created, expires, headers } = vector;
    const key = keyOf(VECTORS.keys[vector.signed_by].seed_hex);
    const contentDigest = contentDigestOf(Buffer.from(body));
    const covered = coveredBy({ method, targetUri: target_uri, contentDigest, nonce, delegation });
    const draft = draftSignature(covered, { created, expires, keyid: key.kid });
    expect(Buffer.from(draft.toBeSigned).toString()).toBe(vector.signature_base);
    expect({
      'content-digest': contentDigest,
      'x-svc-sync-nonce': nonce,
      ...(delegation === undefined ? {} : { 'x-svc-delegation': delegation }),
      ...draft.with(key.sign(draft.toBeSigned)),
    }).toEqual(headers);
    expect(parseSignature(headers['signature-input']!, headers.signature!).keyid).toBe(key.kid);
  });

  it('is what the page shows', () => {
    const [first, second] = VECTORS.requests;
    expect(PAGE).toContain(first!.signature_base);
    for (const [name, value] of Object.entries(first!.headers)) expect(PAGE).toContain(`${name}: ${value}`);
    expect(second!.delegation).toBeDefined();
    for (const { keyid, public_key } of Object.values(VECTORS.keys)) {
      expect(PAGE).toContain(keyid);
      expect(PAGE).toContain(public_key);
    }
  });
});
