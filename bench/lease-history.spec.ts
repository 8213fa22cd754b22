import { describe, expect, it } from 'vitest';
import { judgeLeases } from './lease-history.js';
import type { LeaseFact, LeaseRecord } from './lease-history.types.js';

/** Microseconds are thousandths of the milliseconds of the server here. */
const judge = (records: LeaseRecord[], facts: LeaseFact[]) => judgeLeases(records, facts, (ms) => ms * 1000, 1000);

const of = (
  kind: LeaseRecord['kind'],
  [start, end]: [number, number],
  more: Partial<LeaseRecord> = {},
): LeaseRecord => ({ kind, item: 'a', holder: 'w1.1', ttlSeconds: 1, start, end, status: 200, ...more });

const grant = (holder: string, fence: number, from: number, expiresAtMs: number): LeaseRecord =>
  of('claim', [from, from + 100], { holder, lease: { fence, expiresAtMs } });

const fact = (holder: string, fence: number, expiresAtMs: number, status = 'released'): LeaseFact => ({
  ...{ fence, item: 'a', holder, expiresAtMs, status },
  hasReceipt: true,
});

/** A lease from 0 to one second that is given back, and another one. */
const GOOD = [
  grant('w1.1', 1, 0, 1000),
  of('write', [200, 300], { fence: 1, version: 3 }),
  of('release', [400, 500], { fence: 1 }),
  grant('w2.1', 2, 600, 1001),
];
const STORED = [fact('w1.1', 1, 1000), fact('w2.1', 2, 1001, 'held')];

describe('the judgement of a recorded load', () => {
  it('finds nothing where nothing is wrong, and counts', () => {
    const late = of('write', [700, 800], { fence: 1, status: 409, newerFence: 2, isAfterStop: true });
    expect(judge([...GOOD, late], STORED)).toEqual({
      operations: 5,
      answers: { 'claim 200': 2, 'release 200': 1, 'write 200': 1, 'write 409': 1 },
      unavailable: {},
      ...{ items: 1, mostOfAnItem: 5, grants: 2, refusedOldFences: 1, refusedAfterStop: 1 },
      faults: [],
    });
  });

  const faultsOf = (records: LeaseRecord[], facts = STORED) => judge(records, facts).faults;

  it('names a grant while the lease before it lasts', () => {
    const [claim, , , again] = GOOD;
    expect(faultsOf([claim!, again!])).toEqual([
      'a was granted under 2 while 1 lasted',
      expect.stringContaining('the history of a is not linearizable'),
    ]);
  });

  it('counts a renewal to the time that a lease lasts', () => {
    const renewed = of('renew', [200, 300], { fence: 1, lease: { fence: 1, expiresAtMs: 2000 } });
    const next = grant('w2.1', 2, 1_500_000, 2500);
    expect(faultsOf([GOOD[0]!, next])).toEqual([]);
    expect(faultsOf([GOOD[0]!, renewed, next])[0]).toBe('a was granted under 2 while 1 lasted');
  });

  it('names a write with an old fence that was accepted', () => {
    expect(faultsOf([...GOOD, of('write', [800, 900], { fence: 1 })])).toEqual([
      'write of a with 1 was accepted after 2 was granted',
      expect.stringContaining('not linearizable'),
    ]);
  });

  it('names fences that fall, over all items, and fences that are given twice', () => {
    const elsewhere = { ...grant('w3.1', 1, 5000, 9000), item: 'b' };
    const other = { ...fact('w3.1', 1, 9000), item: 'b' };
    const faults = faultsOf([...GOOD.slice(3), elsewhere], [STORED[1]!, other]);
    expect(faults).toEqual(['b was granted under 1 after 2 was answered']);
    expect(faultsOf([...GOOD, { ...elsewhere, lease: { fence: 2, expiresAtMs: 9000 } }])).toContain(
      'a fence was given twice',
    );
  });

  it('names leases that are lost, doubled, without a receipt, or that nobody asked for', () => {
    expect(faultsOf(GOOD, [STORED[1]!])).toEqual(['the lease 1 of a was answered and is not there']);
    expect(faultsOf(GOOD, [...STORED, fact('w9.1', 9, 1000)])).toEqual(['nobody asked for the lease 9']);
    expect(faultsOf(GOOD, [{ ...STORED[0]!, hasReceipt: false }, STORED[1]!])).toEqual(['the lease 1 has no receipt']);
    expect(faultsOf(GOOD, [{ ...STORED[0]!, status: 'held' }, STORED[1]!])).toEqual([
      'a is held twice in the database',
    ]);
    expect(faultsOf(GOOD, [...STORED, fact('w2.1', 3, 1001)])).toEqual(['one claim of w2.1 left more than one lease']);
  });

  it('holds what had no answer against what the database shows', () => {
    const open = of('claim', [600, 700], { holder: 'w3.1', status: 0 });
    const [claim, write, release] = GOOD as [LeaseRecord, LeaseRecord, LeaseRecord];
    const taken = fact('w3.1', 2, 1001, 'held');
    expect(faultsOf([claim, write, release, open], [STORED[0]!, taken])).toEqual([]);
    expect(faultsOf([claim, write, release, open], [STORED[0]!])).toEqual([]);
    // Its lease is there, so that another one at the same time is one too many.
    const doubled = [claim, write, release, open, grant('w4.1', 3, 800, 1002)];
    const found = faultsOf(doubled, [STORED[0]!, { ...taken, status: 'released' }, fact('w4.1', 3, 1002, 'held')]);
    expect(found).toEqual([expect.stringContaining('not linearizable')]);
    // A release without an answer may have been one.
    const unknown = { ...release, status: 503 };
    expect(faultsOf([claim, write, unknown, GOOD[3]!])).toEqual([]);
  });

  it('names answers that nobody expects, and work that was not found', () => {
    expect(faultsOf([...GOOD, of('renew', [900, 950], { fence: 2, status: 500, text: 'oh' })])).toContain(
      'renew answered 500: oh',
    );
    expect(faultsOf([...GOOD, of('claim-next', [900, 950], { item: undefined, holder: 'w5.1' })])).toEqual([
      'claim-next found nothing for w5.1 though there is work',
    ]);
    const wrong = of('write', [700, 800], { fence: 1, status: 409, newerFence: 1 });
    expect(faultsOf([...GOOD, wrong])).toEqual(['the fence 1 was named as newer than 1']);
  });
});
