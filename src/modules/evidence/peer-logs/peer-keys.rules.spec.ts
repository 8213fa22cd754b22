import { describe, expect, it } from 'vitest';
import { noteVerifierKey } from '../../../evidence/signed-note.js';
import { signReceipt, type SignedReceipt } from '../../../evidence/receipt.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { logKeysOf, peerChain, readPinned } from './peer-keys.rules.js';

const [first, log, next, other] = Array.from({ length: 4 }, () => SigningKey.generate()) as [
  SigningKey,
  SigningKey,
  SigningKey,
  SigningKey,
];
const keyOf = (key: SigningKey, name = 'a.example/log') => noteVerifierKey(name, key.publicKey.bytes);
const HOUR = 3_600;
const now = Math.floor(Date.now() / 1000);
const at = (seconds: number) => new Date(seconds * 1000).toISOString();

let last: SignedReceipt | undefined;
/** A statement by which a key takes the place of another, which ends at that second. */
function rotation(by: SigningKey, key: SigningKey, replaces: SigningKey, ends: number): string {
  last = signReceipt(
    {
      ...{ kind: 'key.rotated', tenant_id: 'svc/server', stream: 'keys', actor: 'svc:keys', auth_mode: 'system' },
      seq: (last?.payload.seq ?? 0) + 1,
      prev: last?.payloadHash ?? null,
      occurred_at: at(now - 2 * HOUR),
      subject: key.kid,
      body: {
        key: { ...key.publicKey.toJwk(new Date((now - 3 * HOUR) * 1000), null) },
        purpose: 'log',
        replaces: replaces.kid,
        ends: at(ends),
      },
    },
    by,
  );
  return Buffer.from(last.cose).toString('base64');
}
const started = rotation(first, log, first, now - 2 * HOUR - 1);
const rotated = rotation(log, next, log, now - HOUR);
const kids = (statements: readonly string[], seconds = now) =>
  logKeysOf(peerChain([keyOf(first)], statements).chain, seconds).map(({ kid }) => kid);

describe('the keys of the log of a peer', () => {
  it('are those that the pinned one leads to, while they sign', () => {
    expect(kids([])).toEqual([first.kid]);
    expect(kids([started])).toEqual([log.kid]);
    expect(kids([started, rotated])).toEqual([next.kid]);
    expect(kids([started, rotated], now - HOUR - 600).sort()).toEqual([log.kid, next.kid].sort());
  });

  it('are not those that others name', () => {
    const forged = rotation(other, other, first, now + HOUR);
    expect(kids([started, forged])).toEqual([log.kid]);
    expect(kids(['nonsense', started])).toEqual([log.kid]);
  });

  it('do not come back where a peer leaves a statement out', () => {
    const merge = (known: string[], shown: string[]) => peerChain([keyOf(first)], known, shown).statements;
    expect(merge([started, rotated], [started])).toEqual([started, rotated]);
    expect(merge([], [rotated, started])).toEqual([started, rotated]);
    const forged = rotation(other, other, first, now + HOUR);
    expect(merge([started], [forged, 'nonsense', rotated])).toEqual([started, rotated]);
  });

  it('are pinned for one log', () => {
    expect(readPinned([keyOf(first), keyOf(first), keyOf(log, 'a.example/log/3')])).toMatchObject({
      name: 'a.example/log',
      keys: expect.arrayContaining([keyOf(first)]),
    });
    expect(() => readPinned([])).toThrow('no key');
    expect(() => readPinned(['nonsense'])).toThrow('not a note verifier key');
    expect(() => readPinned([keyOf(first), keyOf(log, 'b.example/log')])).toThrow('two logs');
  });
});
