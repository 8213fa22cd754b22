import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../evidence/signing-key.js';
import { contentDigestOf, digestHolds, parseContentDigest } from './content-digest.js';
import { coveredBy } from './peer-request.js';
import { draftSignature, MalformedSignature, parseSignature, signatureBase } from './request-signature.js';

/** RFC 9421, B.1.4. */
const TEST_KEY = SigningKey.fromPem(`-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
`);

describe('RFC 9421, B.2.6', () => {
  const INPUT =
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const SIGNATURE =
    'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:';
  const VALUES: Record<string, string> = {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    '@method': 'POST',
    '@path': '/foo',
    '@authority': 'example.com',
    'content-type': 'application/json',
    'content-length': '18',
  };

  it('has the base that its signature holds for, and Ed25519 gives that signature', () => {
    // The vector has no alg, which peers send.
    const withAlg = parseSignature(`${INPUT};alg="ed25519"`, SIGNATURE);
    const covered = withAlg.components.map((name) => [name, VALUES[name]!] as const);
    const base = signatureBase(covered, withAlg.parameters.replace(';alg="ed25519"', ''));
    expect(base).toBe(
      [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@method": POST',
        '"@path": /foo',
        '"@authority": example.com',
        '"content-type": application/json',
        '"content-length": 18',
        `"@signature-params": ${INPUT.slice('sig-b26='.length)}`,
      ].join('\n'),
    );
    expect(TEST_KEY.publicKey.verify(Buffer.from(base), withAlg.signature)).toBe(true);
    expect(Buffer.from(TEST_KEY.sign(Buffer.from(base)))).toEqual(Buffer.from(withAlg.signature));
    expect([withAlg.created, withAlg.expires, withAlg.keyid]).toEqual([1618884473, undefined, 'test-key-ed25519']);
  });

  it('is no request of a peer: it has no alg', () => {
    expect(() => parseSignature(INPUT, SIGNATURE)).toThrow('alg="ed25519"');
  });
});

const REQUEST = {
  method: 'POST',
  targetUri: 'https://memory.example/v1/sync/tenants/acme/handshake',
  contentDigest: contentDigestOf(Buffer.from('{}')),
  nonce: 'mY0c2b8uY1k0m0YwXoX3p8n7c1q5z9e2r4t6u8i0o1A',
};

describe('a signed request', () => {
  const draft = draftSignature(coveredBy(REQUEST), { created: 1_800_000_000, expires: 1_800_000_060, keyid: 'kid' });
  const fields = draft.with(TEST_KEY.sign(draft.toBeSigned));

  it('is read back as it was signed', () => {
    const { components, parameters, ...rest } = parseSignature(fields['signature-input'], fields.signature);
    expect(components).toEqual(['@method', '@target-uri', 'content-digest', 'x-svc-sync-nonce']);
    expect(rest).toMatchObject({ created: 1_800_000_000, expires: 1_800_000_060, keyid: 'kid' });
    const base = signatureBase(coveredBy(REQUEST), parameters);
    expect(Buffer.from(base)).toEqual(Buffer.from(draft.toBeSigned));
    expect(TEST_KEY.publicKey.verify(Buffer.from(base), rest.signature)).toBe(true);
  });

  it('covers a delegation that is sent', () => {
    const base = signatureBase(coveredBy({ ...REQUEST, delegation: 'a.b.c' }), '()');
    expect(base).toContain('"x-svc-delegation": a.b.c\n');
  });

  it.each([
    ['a signature cut in its middle', fields['signature-input'], fields.signature.slice(0, 40)],
    ['a signature of 63 bytes', fields['signature-input'], `svc=:${Buffer.alloc(63).toString('base64')}:`],
    ['a signature of no bytes', fields['signature-input'], 'svc=x'],
    ['a cut input', fields['signature-input'].slice(0, 30), fields.signature],
    ['two signatures', `${fields['signature-input']}, b=();created=1`, fields.signature],
    ['another name', fields['signature-input'].replace('svc=', 'sig='), fields.signature],
    ['no list', 'svc=1;created=1;keyid="a";alg="ed25519"', fields.signature],
    ['a component with parameters', fields['signature-input'].replace('"@method"', '"@method";req'), fields.signature],
    ['a component that is a token', fields['signature-input'].replace('"@method"', 'method'), fields.signature],
    ['no created', fields['signature-input'].replace(/;created=\d+/, ''), fields.signature],
    ['created as text', fields['signature-input'].replace(/created=(\d+)/, 'created="$1"'), fields.signature],
    ['expires as a date', fields['signature-input'].replace(/expires=(\d+)/, 'expires=@$1'), fields.signature],
    ['no keyid', fields['signature-input'].replace(';keyid="kid"', ''), fields.signature],
    ['another algorithm', fields['signature-input'].replace('ed25519', 'rsa-pss-sha512'), fields.signature],
    ['nothing', '', ''],
  ])('is refused with %s', (_, input, signature) => {
    expect(() => parseSignature(input, signature)).toThrow(MalformedSignature);
  });
});

describe('content-digest', () => {
  const BODY = Buffer.from('{"hello": "world"}\n');

  it('is that of RFC 9530', () => {
    expect(contentDigestOf(BODY)).toBe('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:');
    expect(contentDigestOf(new Uint8Array())).toBe('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
  });

  it('holds when all that is known of it holds', () => {
    const sha512 = `sha-512=:${createHash('sha512').update(BODY).digest('base64')}:`;
    const holds = (field: string, body = BODY) => digestHolds(parseContentDigest(field), body);
    expect(holds(contentDigestOf(BODY))).toBe(true);
    expect(holds(`${sha512}, ${contentDigestOf(BODY)}, md5=:AAAA:`)).toBe(true);
    expect(holds(contentDigestOf(BODY), BODY.subarray(1))).toBe(false);
    expect(holds(`${sha512}, ${contentDigestOf(Buffer.from(''))}`)).toBe(false);
  });

  it.each([[''], ['md5=:AAAA:'], ['sha-256=:AAAA:'], ['sha-256=abc'], ['sha-256=:AAA'], ['sha-256']])(
    'is none: %s',
    (field) => expect(() => parseContentDigest(field)).toThrow(/content-digest/),
  );
});
