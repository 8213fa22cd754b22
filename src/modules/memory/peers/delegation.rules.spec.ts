import { describe, expect, it } from 'vitest';
import { signNow } from '../../../evidence/signer.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { draftDelegation, followChain, readChain } from './delegation.rules.js';
import { rightsOf } from './peer-rights.rules.js';

const [root, middle, last, recipient] = [1, 2, 3, 4].map(() => SigningKey.generate()) as [
  SigningKey,
  SigningKey,
  SigningKey,
  SigningKey,
];
const NOW = 1_800_000_000;

function delegate(from: SigningKey, to: SigningKey, other: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    ...{ v: '1.1', iss: from.kid, sub: to.kid, aud: recipient.kid, tenant_id: 'acme', jti: 'j', exp: NOW + 60 },
    ...{ collections: ['facts'], entity_prefixes: ['a:1'] },
    cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(to.publicKey.bytes).toString('base64url') } },
    ...other,
  };
  const text = `${part({ alg: 'EdDSA', typ: 'svc-delegation+jwt' })}.${part(claims)}`;
  return `${text}.${Buffer.from(from.sign(Buffer.from(text))).toString('base64url')}`;
}

const rights = rightsOf({ entity_prefixes: ['a:'], collections: null, scopes: ['facts:read', 'facts:write'] });
const follow = (signer: SigningKey, ...tokens: string[]) =>
  followChain(readChain(tokens.join(', ')), {
    ...{ root: { key: root.publicKey, rights }, audience: recipient.kid, tenantId: 'acme' },
    ...{ signer: signer.kid, now: NOW },
  });

describe('a chain of delegations', () => {
  it('leaves what its last one names; scopes that are not named stay', async () => {
    const first = delegate(root, middle, { scopes: ['facts:read'] });
    expect(await follow(last, first, delegate(middle, last, { entity_prefixes: ['a:12'] }))).toEqual({
      prefixes: ['a:12'],
      collections: new Set(['facts']),
      scopes: new Set(['facts:read']),
    });
  });

  it('that this daemon gives is taken by whoever it is for, and one that nobody would take is not given', async () => {
    const terms = {
      ...{ to: middle.publicKey, aud: recipient.kid, tenant_id: 'acme', exp: NOW + 60, jti: 'j' },
      ...{ collections: ['facts' as const], entity_prefixes: ['a:1'] },
    };
    const token = signNow(draftDelegation(root.kid, terms), root);
    expect(await follow(middle, token)).toMatchObject({ prefixes: ['a:1'], collections: new Set(['facts']) });
    expect(() => draftDelegation(root.kid, { ...terms, entity_prefixes: ['*', 'a:'] })).toThrow('entity_prefixes');
    expect(() => draftDelegation(root.kid, { ...terms, collections: [] })).toThrow('collections');
  });

  it('is of five at most, none of them empty', () => {
    const one = delegate(root, root);
    expect(readChain(Array(5).fill(one).join(','))).toHaveLength(5);
    expect(() => readChain(Array(6).fill(one).join(','))).toThrow('at most 5');
    for (const text of ['', ',', `${one},`, `${one}.x`]) expect(() => readChain(text)).toThrow('no JWS of version 1.1');
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['another issuer first', () => follow(last, delegate(middle, last)), 'is the one to delegate'],
    ['a gap', () => follow(last, delegate(root, middle), delegate(root, last)), 'is the one to delegate'],
    ['another signer', () => follow(last, delegate(root, middle)), 'signed the request'],
    ['another key', () => follow(middle, delegate(last, middle, { iss: root.kid })), 'not signed with that key'],
    ['another recipient', () => follow(middle, delegate(root, middle, { aud: last.kid })), 'this daemon is'],
    ['another tenant', () => follow(middle, delegate(root, middle, { tenant_id: 'b' })), 'the address names acme'],
    ['an end that is past', () => follow(middle, delegate(root, middle, { exp: NOW })), 'ended'],
    ['a beginning to come', () => follow(middle, delegate(root, middle, { nbf: NOW + 1 })), 'begins'],
    [
      'more than the issuer has',
      () => follow(middle, delegate(root, middle, { entity_prefixes: ['b'] })),
      'entity_prefixes',
    ],
    [
      'a later end',
      () => follow(last, delegate(root, middle), delegate(middle, last, { exp: NOW + 61 })),
      'exp of a delegation is wider',
    ],
  ])('does not hold with %s', async (_, asked, reason) => {
    await expect(asked()).rejects.toThrow(reason);
  });
});
