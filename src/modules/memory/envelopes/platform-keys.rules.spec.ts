import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../../evidence/signing-key.js';
import { isValidAt, parsePlatformKeys } from './platform-keys.rules.js';

const signing = SigningKey.generate();
const X = Buffer.from(signing.publicKey.bytes).toString('base64url');
const OTHER_X = Buffer.from(SigningKey.generate().publicKey.bytes).toString('base64url');
const jwk = (members: object = {}) => ({ kty: 'OKP', crv: 'Ed25519', x: X, ...members });
const parse = (...keys: unknown[]) => parsePlatformKeys(JSON.stringify({ keys }));

describe('the registered keys', () => {
  it('are known by their kid, or their thumbprint where they have none', () => {
    expect([...parse(jwk(), jwk({ x: OTHER_X, kid: 'platform-1' })).keys()]).toEqual([signing.kid, 'platform-1']);
    const example = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg';
    expect([...parse(jwk({ x: example })).keys()]).toEqual(['1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y']);
  });

  it('verify what was signed with their private halves', () => {
    const { key } = parse(jwk({ kid: 'k' })).get('k')!;
    const message = Buffer.from('message');
    expect(key.verify(message, signing.sign(message))).toBe(true);
    expect(key.verify(message, SigningKey.generate().sign(message))).toBe(false);
  });

  it('are those of Ed25519; others are passed over, whatever they hold', () => {
    const others = [{ kty: 'RSA', n: 'AQAB', d: 'secret' }, { kty: 'OKP', crv: 'X25519', x: 'short' }, { kty: 'oct' }];
    expect([...parse(...others, jwk({ use: 'sig', alg: 'EdDSA' })).keys()]).toEqual([signing.kid]);
  });

  it('may have a kid of 1 to 512 characters', () => {
    for (const kid of ['k', 'a key\nof two lines', 'k'.repeat(512)]) expect(parse(jwk({ kid })).has(kid)).toBe(true);
  });

  it.each<[string, string, string]>([
    ['no JSON', '{"keys": [', 'it is not JSON'],
    ['a list', JSON.stringify([jwk()]), 'it is not a JWK Set: {"keys": [...]}'],
    ['null', 'null', 'it is not a JWK Set: {"keys": [...]}'],
    ['a single key', JSON.stringify(jwk()), 'it is not a JWK Set: {"keys": [...]}'],
    ['keys by name', JSON.stringify({ keys: { a: jwk() } }), 'it is not a JWK Set: {"keys": [...]}'],
    ['no key', '{"keys": []}', 'it holds no Ed25519 key (kty OKP, crv Ed25519)'],
    ['no Ed25519 key', '{"keys": [{"kty": "RSA"}]}', 'it holds no Ed25519 key (kty OKP, crv Ed25519)'],
  ])('are refused as %s', (_what, text, message) => {
    expect(() => parsePlatformKeys(text)).toThrow(new Error(message));
  });

  it.each<[string, unknown, string]>([
    ['is text', 'key', ' is not an object'],
    ['holds its private half', jwk({ d: X }), ' holds a private key (d); register its public half alone'],
    ['is too short', jwk({ x: X.slice(1) }), '.x is not 32 bytes in base64url'],
    ['is too long', jwk({ x: `${X}A` }), '.x is not 32 bytes in base64url'],
    ['is padded', jwk({ x: `${X.slice(1)}=` }), '.x is not 32 bytes in base64url'],
    ['has no bytes', jwk({ x: undefined }), '.x is not 32 bytes in base64url'],
    ['has an empty kid', jwk({ kid: '' }), '.kid is not text of 1 to 512 characters'],
    ['has a long kid', jwk({ kid: 'k'.repeat(513) }), '.kid is not text of 1 to 512 characters'],
    ['has a number as kid', jwk({ kid: 7 }), '.kid is not text of 1 to 512 characters'],
    ['has a time in words', jwk({ nbf: '2026-01-01' }), '.nbf is not a number of seconds'],
    ['never ends', jwk({ exp: null }), '.exp is not a number of seconds'],
    ['has the kid of another', jwk({ kid: 'first' }), ' has the kid of another key'],
    ['is another once more', jwk({ x: OTHER_X, kid: 'first' }), ' has the kid of another key'],
  ])('are refused where the second %s', (_what, second, message) => {
    expect(() => parse(jwk({ x: OTHER_X, kid: 'first' }), second)).toThrow(new Error(`keys[1]${message}`));
  });
});

describe('a key', () => {
  const key = parse(jwk({ kid: 'k', nbf: 1_000, exp: 2_000 })).get('k')!;
  const at = (milliseconds: number) => new Date(milliseconds);

  it('is accepted from nbf on and before exp', () => {
    const times = [999_999, 1_000_000, 1_999_999, 2_000_000];
    expect(times.map((time) => isValidAt(key, at(time)))).toEqual([false, true, true, false]);
  });

  it('without the one or the other has no such bound', () => {
    const [from, until, ever] = [
      { ...key, exp: undefined },
      { ...key, nbf: undefined },
      parse(jwk()).get(signing.kid)!,
    ];
    expect([isValidAt(from, at(8e15)), isValidAt(from, at(0))]).toEqual([true, false]);
    expect([isValidAt(until, at(-8e15)), isValidAt(until, at(8e15))]).toEqual([true, false]);
    expect([isValidAt(ever, at(-8e15)), isValidAt(ever, at(8e15))]).toEqual([true, true]);
  });
});
