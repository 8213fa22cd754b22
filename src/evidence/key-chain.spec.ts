import { describe, expect, it } from 'vitest';
import type { CborMap } from './cbor.js';
import { readFileKeys } from './file-keys.js';
import { KeyChain, openStatement, type RootKey } from './key-chain.js';
import { type Purpose, PURPOSES } from './purposes.js';
import { SERVER_TENANT, type SignedReceipt, signReceipt } from './receipt.js';
import { SigningKey } from './signing-key.js';

const [first, log, nextLog, exportsKey, receipts, foreign] = Array.from({ length: 6 }, () => SigningKey.generate()) as [
  SigningKey,
  SigningKey,
  SigningKey,
  SigningKey,
  SigningKey,
  SigningKey,
];
const DAY = 86_400;
const START = Date.parse('2026-01-01T00:00:00.000Z') / 1000;
const at = (day: number): string => new Date((START + day * DAY) * 1000).toISOString();
const jwkOf = (key: SigningKey, day: number, until?: number) =>
  key.publicKey.toJwk(new Date(at(day)), until === undefined ? null : new Date(at(until)));

/** The chain of receipts of a server: each statement follows the one before. */
class Statements {
  private last: SignedReceipt | undefined;

  state(signer: SigningKey, day: number, kind: string, key: SigningKey, body: CborMap): Uint8Array {
    this.last = signReceipt(
      {
        kind,
        tenant_id: SERVER_TENANT,
        stream: 'keys',
        seq: (this.last?.payload.seq ?? 0) + 1,
        prev: this.last?.payloadHash ?? null,
        occurred_at: at(day),
        actor: 'operator',
        auth_mode: 'cli',
        subject: key.kid,
        body,
      },
      signer,
    );
    return this.last.cose;
  }

  rotate(signer: SigningKey, day: number, key: SigningKey, purpose: Purpose, replaces: SigningKey): Uint8Array {
    const body = { key: { ...jwkOf(key, day) }, purpose, replaces: replaces.kid, ends: at(day + 1) };
    return this.state(signer, day, 'key.rotated', key, body);
  }
}

const chainOf = (...statements: Uint8Array[]): KeyChain => {
  const chain = new KeyChain([{ key: first.publicKey }]);
  for (const cose of statements) chain.add(openStatement(cose));
  return chain;
};
const termsOf = (chain: KeyChain, key: SigningKey) =>
  [...(chain.find(key.kid)?.terms ?? [])].map(([purpose, { from, until }]) => [
    purpose,
    (from - START) / DAY,
    (until - START) / DAY,
  ]);

describe('a chain of keys', () => {
  it('leads from the first key to each that it, or one of its line, has named', () => {
    const s = new Statements();
    const chain = chainOf(
      s.rotate(first, 0, log, 'log', first),
      s.rotate(log, 10, nextLog, 'log', log),
      s.rotate(first, 20, receipts, 'receipts', first),
      s.rotate(receipts, 30, exportsKey, 'exports', first),
    );
    expect(termsOf(chain, log)).toEqual([['log', 0, 11]]);
    expect(termsOf(chain, nextLog)).toEqual([['log', 10, Infinity]]);
    expect(termsOf(chain, exportsKey)).toEqual([['exports', 30, Infinity]]);
    expect(termsOf(chain, first).map(([purpose, , until]) => [purpose, until])).toEqual([
      ['receipts', 21],
      ['log', 1],
      ['exports', 31],
    ]);
    expect(PURPOSES.map((purpose) => chain.lastOf(purpose)?.key.kid)).toEqual([
      receipts.kid,
      nextLog.kid,
      exportsKey.kid,
    ]);
    expect(chain.find(foreign.kid)).toBeUndefined();
  });

  describe('whose keys are pinned for their purposes', () => {
    const pinned = (key: SigningKey, ...purposes: Purpose[]) => ({ key: key.publicKey, purposes });
    const chainFrom = (roots: RootKey[], ...statements: Uint8Array[]): KeyChain => {
      const chain = new KeyChain(roots);
      for (const cose of statements) chain.add(openStatement(cose));
      return chain;
    };

    it('gives each those alone, whatever is said of the others', () => {
      const s = new Statements();
      const statements = [
        s.rotate(first, 0, log, 'log', first),
        s.rotate(log, 10, nextLog, 'log', log),
        s.rotate(first, 20, exportsKey, 'exports', first),
      ];
      const roots = [pinned(first, 'receipts'), pinned(log, 'log'), pinned(exportsKey, 'log')];
      const chain = chainFrom(roots, ...statements);
      expect([first, log, nextLog, exportsKey].map((key) => termsOf(chain, key).map(([purpose]) => purpose))).toEqual([
        ['receipts'],
        ['log'],
        ['log'],
        [],
      ]);
    });

    it('lets none name a key for another purpose', () => {
      const s = new Statements();
      const one = s.rotate(log, 1, foreign, 'exports', log);
      expect(() => chainFrom([pinned(log, 'log')], one)).toThrow(/could not name a key for exports/);
      expect(termsOf(chainFrom([{ key: log.publicKey }], one), foreign)).toHaveLength(1);
    });
  });

  it('takes over older keys with their end, by the first key alone', () => {
    const s = new Statements();
    const old = { key: { ...jwkOf(foreign, -100, -50) } };
    const chain = chainOf(
      s.state(first, 0, 'key.adopted', foreign, old),
      s.rotate(first, 1, receipts, 'receipts', first),
    );
    expect(termsOf(chain, foreign)).toEqual(PURPOSES.map((purpose) => [purpose, -100, -50]));
    const late = s.state(receipts, 2, 'key.adopted', log, { key: { ...jwkOf(log, -100, -50) } });
    expect(() => chain.add(openStatement(late))).toThrow(/only the first key/);
    const endless = s.state(first, 2, 'key.adopted', log, { key: { ...jwkOf(log, -100) } });
    expect(() => openStatement(endless)).toThrow(/has no end/);
  });

  const s = () => new Statements();
  it.each<[string, () => Uint8Array[], RegExp]>([
    ['a key that nobody of the chain named', () => [s().rotate(foreign, 1, log, 'log', first)], /no chain leads/],
    [
      'one named by a key of another purpose',
      () => {
        const one = s();
        return [one.rotate(first, 0, log, 'log', first), one.rotate(log, 2, exportsKey, 'exports', first)];
      },
      /could not name a key for exports/,
    ],
    [
      'one named by a key that has ended',
      () => {
        const one = s();
        return [one.rotate(first, 0, receipts, 'receipts', first), one.rotate(first, 2, foreign, 'receipts', receipts)];
      },
      /could not name a key for receipts/,
    ],
    [
      'one named twice',
      () => {
        const one = s();
        return [one.rotate(first, 0, log, 'log', first), one.rotate(first, 1, log, 'exports', first)];
      },
      /named before/,
    ],
    [
      'one that replaces a key of another purpose',
      () => [s().rotate(first, 1, log, 'log', exportsKey)],
      /did not sign for log/,
    ],
    [
      'statements out of order',
      () => {
        const one = s();
        const [a, b] = [one.rotate(first, 0, log, 'log', first), one.rotate(first, 1, exportsKey, 'exports', first)];
        return [b, a];
      },
      /ascending order/,
    ],
    [
      'neighbours of which one was changed',
      () => {
        const [one, other] = [s(), s()];
        other.rotate(first, 0, foreign, 'log', first);
        return [one.rotate(first, 0, log, 'log', first), other.rotate(first, 1, exportsKey, 'exports', first)];
      },
      /prev is not the statement before/,
    ],
  ])('refuses %s', (_name, statements, message) => {
    expect(() => chainOf(...statements())).toThrow(message);
  });

  it('refuses a receipt that is no statement', () => {
    const body = { key: { ...jwkOf(log, 0) } };
    expect(() => openStatement(s().state(first, 0, 'key.first', log, body))).toThrow(/no statement about a key/);
    expect(() => openStatement(s().state(first, 0, 'key.rotated', log, body))).toThrow(/body.ends is missing/);
    const other = { key: { ...jwkOf(log, 0) }, purpose: 'log', replaces: first.kid, ends: at(1) };
    expect(() => openStatement(s().state(first, 0, 'key.rotated', foreign, other))).toThrow(/not about its subject/);
  });
});

describe('the keys of a file', () => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const one = new Statements();
  const statements = [one.rotate(first, 0, log, 'log', first), one.rotate(first, 0, exportsKey, 'exports', first)].map(
    base64,
  );
  const keys = [jwkOf(first, 0), jwkOf(log, 0), jwkOf(exportsKey, 0)];

  it('are trusted by the first key alone, each for its purpose', () => {
    const read = readFileKeys({ keys, statements }, [{ key: first.publicKey }]);
    expect([...read.values()].map(({ terms }) => [...terms.keys()])).toEqual([
      ['receipts', 'log', 'exports'],
      ['log'],
      ['exports'],
    ]);
    expect(readFileKeys({ keys, statements }, undefined).size).toBe(3);
  });

  it('are refused without a chain, and with a statement that is about none of them', () => {
    const claims = { keys, statements: statements.slice(0, 1) };
    expect(() => readFileKeys(claims, [{ key: first.publicKey }])).toThrow(`key ${exportsKey.kid} is not among`);
    expect(() => readFileKeys(claims, undefined)).toThrow(`no statement names key ${exportsKey.kid}`);
    expect(() => readFileKeys({ keys: keys.slice(0, 2), statements }, undefined)).toThrow(/which is not in the file/);
    expect(() => readFileKeys({ keys, statements }, [{ key: log.publicKey }])).toThrow(/no chain leads to the key/);
  });

  it('hold to the purpose that a statement gives also a key that is pinned itself', () => {
    const read = readFileKeys(
      { keys, statements },
      keys.map((jwk) => ({ key: keyOfKid(jwk.kid) })),
    );
    expect([...read.get(log.kid)!.terms.keys()]).toEqual(['log']);
  });

  it('signed everything in files of the first version', () => {
    const read = readFileKeys({ keys: keys.slice(0, 1) }, undefined);
    expect([...read.get(first.kid)!.terms.keys()]).toEqual([...PURPOSES]);
    expect(() => readFileKeys({ keys }, [{ key: first.publicKey }])).toThrow(`key ${log.kid} is not among`);
  });

  const keyOfKid = (kid: string) => [first, log, exportsKey].find((key) => key.kid === kid)!.publicKey;
});
