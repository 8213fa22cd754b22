import { describe, expect, it } from 'vitest';
import { leaseModel, type LeaseCall } from './lease-model.js';
import { checkLinearizable, type Operation } from './linearizability.js';
import { pick, seededRandom, type Random } from './random.js';

const TOLERANCE = 2;
const model = leaseModel(TOLERANCE);
const at = (start: number, end: number, call: LeaseCall): Operation<LeaseCall> => ({ call, start, end });
const holds = (...history: Operation<LeaseCall>[]): boolean => checkLinearizable(model, history).isLinearizable;

const claim = (fence: number, expiresAt: number): LeaseCall => ({ kind: 'claim', outcome: 'done', fence, expiresAt });
const renew = (fence: number, expiresAt: number): LeaseCall => ({ kind: 'renew', outcome: 'done', fence, expiresAt });
const write = (fence: number, version?: number): LeaseCall => ({ kind: 'write', outcome: 'done', fence, version });
const release = (fence: number): LeaseCall => ({ kind: 'release', outcome: 'done', fence });
const read = (fence: number | null): LeaseCall => ({ kind: 'read', outcome: 'done', fence });
const refused = (kind: 'renew' | 'write' | 'release', fence: number): LeaseCall => ({
  kind,
  outcome: 'refused',
  fence,
});
const REFUSED: LeaseCall = { kind: 'claim', outcome: 'refused' };

describe('one holder at a time', () => {
  it('refuses a second claim while the first lease lasts, and accepts it after release or expiry', () => {
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, claim(2, 1020)))).toBe(false);
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, release(1)), at(40, 50, claim(2, 1040)))).toBe(true);
    expect(holds(at(0, 10, claim(1, 1000)), at(990, 1010, claim(2, 2000)))).toBe(true);
    expect(holds(at(0, 10, claim(1, 1000)), at(900, 990, claim(2, 2000)))).toBe(false);
  });

  it('lets the release of another be under way', () => {
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 60, release(1)), at(30, 40, claim(2, 1040)))).toBe(true);
    expect(holds(at(0, 10, claim(1, 1000)), at(50, 60, release(1)), at(30, 40, claim(2, 1040)))).toBe(false);
  });

  it('refuses a claim only while somebody holds it', () => {
    expect(holds(at(0, 10, REFUSED))).toBe(false);
    expect(holds(at(0, 10, claim(1, 1000)), at(5, 8, REFUSED))).toBe(true);
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, release(1)), at(31, 40, REFUSED))).toBe(false);
    expect(holds(at(0, 10, claim(1, 1000)), at(1003, 1010, REFUSED))).toBe(false);
  });

  it('extends a lease by a renewal, also by one whose answer is missing', () => {
    const renewed = [at(0, 10, claim(1, 1000)), at(500, 510, renew(1, 1500))];
    expect(holds(...renewed, at(1100, 1110, claim(2, 2000)))).toBe(false);
    expect(holds(...renewed, at(1495, 1510, claim(2, 2500)))).toBe(true);
    const open = [
      at(0, 10, claim(1, 1000)),
      at(500, Infinity, { kind: 'renew', outcome: 'unknown', fence: 1, ttl: 1000 }),
    ];
    // Never, or at once, or later.
    expect(holds(...open, at(1100, 1110, claim(2, 2000)))).toBe(true);
    expect(holds(...open, at(1100, 1110, write(1)))).toBe(true);
    expect(holds(...open, at(1100, 1110, write(1)), at(1200, 1210, claim(2, 2200)))).toBe(false);
  });
});

describe('fences', () => {
  it('rise', () => {
    expect(holds(at(0, 10, claim(5, 1000)), at(20, 30, release(5)), at(40, 50, claim(4, 1040)))).toBe(false);
    expect(holds(at(0, 10, claim(5, 1000)), at(20, 30, release(5)), at(40, 50, claim(5, 1040)))).toBe(false);
  });

  it('let the holder alone write, renew and release, and only in time', () => {
    for (const late of [write(1), renew(1, 3000), release(1)]) {
      expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, late))).toBe(true);
      expect(holds(at(0, 10, claim(1, 1000)), at(1010, 1020, late))).toBe(false);
      expect(holds(at(0, 10, claim(1, 1000)), at(1010, 1020, claim(2, 2000)), at(1030, 1040, late))).toBe(false);
    }
  });

  it('are refused only once they are old', () => {
    for (const kind of ['write', 'renew', 'release'] as const) {
      expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, refused(kind, 1)))).toBe(false);
      expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, refused(kind, 7)))).toBe(true);
      expect(holds(at(0, 10, claim(1, 1000)), at(1010, 1020, refused(kind, 1)))).toBe(true);
      expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, release(1)), at(40, 50, refused(kind, 1)))).toBe(true);
    }
  });

  it('are shown while the lease lasts, and no longer', () => {
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, read(1)), at(1010, 1020, read(null)))).toBe(true);
    expect(holds(at(0, 10, claim(1, 1000)), at(1010, 1020, read(1)))).toBe(false);
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, read(null)))).toBe(false);
  });

  it('bring versions that rise', () => {
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, write(1, 5)), at(40, 50, write(1, 6)))).toBe(true);
    expect(holds(at(0, 10, claim(1, 1000)), at(20, 30, write(1, 5)), at(40, 50, write(1, 5)))).toBe(false);
  });
});

/** What many callers see of one item that is leased correctly: each call takes effect at a moment of its interval. */
function correctHistory(random: Random, calls: number): Operation<LeaseCall>[] {
  let lease: { fence: number; expiresAt: number } | undefined;
  let fence = 0;
  let version = 0;
  return Array.from({ length: calls }, (_, n) => {
    const moment = 100 * (n + 1);
    if (lease && moment >= lease.expiresAt) lease = undefined;
    const kind = pick(random, ['claim', 'claim', 'renew', 'write', 'release', 'read'] as const);
    const sent = random() < 0.8 ? fence : fence - 1;
    const isLive = lease?.fence === sent;
    const expiresAt = moment + 300 + Math.floor(random() * 1200);
    let call: LeaseCall;
    if (kind === 'read') call = read(lease?.fence ?? null);
    else if (kind === 'claim') {
      call = lease
        ? REFUSED
        : ({ ...claim((fence += 1 + Math.floor(random() * 3)), expiresAt), version: ++version } as LeaseCall);
      lease ??= { fence, expiresAt };
    } else if (!lease || !isLive) call = refused(kind, sent);
    else if (kind === 'renew') call = renew(sent, (lease.expiresAt = Math.max(expiresAt, lease.expiresAt)));
    else if (kind === 'write') call = write(sent, ++version);
    else {
      call = release(sent);
      lease = undefined;
    }
    return at(moment - random() * 250, moment + random() * 250, call);
  });
}

describe('random histories', () => {
  it('are accepted, and one violation that is planted is found', () => {
    const random = seededRandom(5);
    let planted = 0;
    for (let round = 0; round < 200; round += 1) {
      const history = correctHistory(random, 80);
      expect(holds(...history)).toBe(true);
      const grants = history.filter(({ call }) => call.kind === 'claim' && call.outcome === 'done');
      const [older, newer] = grants.slice(-2);
      if (!older || !newer || older.call.kind !== 'claim' || older.call.outcome !== 'done') continue;
      // After the newer grant was answered, a write with the older fence is accepted.
      expect(holds(...history, at(newer.end + 1, newer.end + 20, write(older.call.fence)))).toBe(false);
      planted += 1;
    }
    expect(planted).toBeGreaterThan(150);
  });

  it('with a second grant while the first lasts are found out', () => {
    const random = seededRandom(6);
    for (let round = 0; round < 100; round += 1) {
      const history = correctHistory(random, 40);
      const last = Math.max(...history.map(({ end }) => end));
      const doubled = [claim(1000, last + 5000), claim(1001, last + 5000)].map((call, n) =>
        at(last + 2000 + n * 100, last + 2050 + n * 100, call),
      );
      expect(holds(...history, doubled[0]!)).toBe(true);
      expect(holds(...history, ...doubled)).toBe(false);
    }
  });
});
