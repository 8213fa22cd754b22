import { describe, expect, it } from 'vitest';
import type { CborMap } from './cbor.js';
import { blake3Digest } from './digest.js';
import { ES256_KIND, es256Body, readEs256Keys } from './es256-statement.js';
import { Es256SigningKey } from './forms/signature-keys.js';
import { KEY_STREAM, KeyChain } from './key-chain.js';
import { SERVER_TENANT, signReceipt } from './receipt.js';
import { SigningKey } from './signing-key.js';

const [first, foreign] = [SigningKey.generate(), SigningKey.generate()];
const [one, next] = [Es256SigningKey.generate(), Es256SigningKey.generate()];
const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));
const chain = new KeyChain([{ key: first.publicKey, nbf: at(0).getTime() / 1000, exp: at(20).getTime() / 1000 }]);

const state = (seq: number, hour: number, changes: { body?: CborMap; subject?: string; signer?: SigningKey } = {}) => {
  const { body = es256Body(one.publicKey, at(hour), null), subject = one.kid, signer = first } = changes;
  const stream = { tenant_id: SERVER_TENANT, stream: KEY_STREAM, kind: ES256_KIND, seq, prev: blake3Digest('before') };
  const by = { occurred_at: at(hour).toISOString(), actor: 'operator', auth_mode: 'system' };
  return signReceipt({ ...stream, ...by, subject, body }, signer).cose;
};
const read = (...statements: Uint8Array[]) =>
  readEs256Keys((kid) => chain.find(kid), statements).map(({ key, term, jwk }) => [key.kid, term.until, jwk.exp]);

describe('statements about keys on P-256', () => {
  it('name a key, and end the one before it', () => {
    const body = es256Body(next.publicKey, at(3), { kid: one.kid, ends: at(4) });
    const seconds = at(4).getTime() / 1000;
    expect(read(state(9, 3, { body, subject: next.kid }), state(5, 1))).toEqual([
      [one.kid, seconds, seconds],
      [next.kid, Infinity, undefined],
    ]);
  });

  it.each([
    ['by another key', state(5, 1, { signer: foreign })],
    ['by a key that had ended', state(5, 21)],
    ['about another subject', state(5, 1, { subject: next.kid })],
    ['with more in its body', state(5, 1, { body: { ...es256Body(one.publicKey, at(1), null), more: 1 } })],
    ['that was changed', state(5, 1).map((byte, n, all) => (n === all.length - 1 ? byte ^ 1 : byte))],
  ])('%s name none', (_, cose) => {
    expect(read(cose)).toEqual([]);
  });
});
