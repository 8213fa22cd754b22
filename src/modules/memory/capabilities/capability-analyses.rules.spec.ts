import { describe, expect, it } from 'vitest';
import type { AuditedCapability, AuditStatus } from './capabilities.types.js';
import {
  coverageOf,
  downstreamOf,
  gapsOf,
  isAskedFor,
  promisesOf,
  shareOf,
  walk,
} from './capability-analyses.rules.js';

const make = (id: string, more: Partial<AuditedCapability> = {}, status: AuditStatus = 'unaudited') =>
  ({
    ...{ id, name: id.toUpperCase(), system: 's', maturity: 'stable', promises: [], routes: [], flags: [], tools: [] },
    ...{ tests: [], upstream: [], downstream: [], ...more },
    audit: { status, auditor: null, lastAudited: null, notes: null, version: 0 },
  }) as AuditedCapability;

describe('ways through capabilities', () => {
  const all = [
    make('a', { upstream: ['b', 'c'] }),
    make('b', { upstream: ['d'] }),
    make('c', { upstream: ['d'] }),
    make('d'),
  ];

  it('go to each thing once, by the shortest way', () => {
    const byId = new Map(all.map((one) => [one.id, one.upstream]));
    expect(walk('a', (id) => byId.get(id) ?? [])).toEqual([
      { id: 'b', depth: 1, via: 'a' },
      { id: 'c', depth: 1, via: 'a' },
      { id: 'd', depth: 2, via: 'b' },
    ]);
  });

  it('end in a circle', () => {
    expect(walk('a', (id) => (id === 'a' ? ['b'] : ['a'])).length).toBe(1);
  });

  it('are known from the other end', () => {
    expect(downstreamOf(all)).toEqual(
      new Map([
        ['b', ['a']],
        ['c', ['a']],
        ['d', ['b', 'c']],
      ]),
    );
  });
});

describe('what is found', () => {
  it('is narrowed by all that is asked for', () => {
    const one = make('pay.in', { promises: [2n ** 63n], routes: ['POST /pay'] }, 'failed');
    expect(isAskedFor(one, {})).toBe(true);
    expect(
      isAskedFor(one, { system: 's', maturity: 'stable', audit: 'failed', promise: 2n ** 63n, search: 'PAY' }),
    ).toBe(true);
    for (const wrong of [{ system: 'x' }, { maturity: 'beta' }, { audit: 'passed' }, { promise: 1n }, { search: 'z' }])
      expect(isAskedFor(one, wrong as never)).toBe(false);
  });

  it('has gaps', () => {
    expect(gapsOf(make('a'))).toEqual(['no_test', 'no_audit']);
    expect(gapsOf(make('a', { tests: ['x'] }, 'failed'))).toEqual(['failed_audit']);
    expect(gapsOf(make('a', { tests: ['x'] }, 'waived'))).toEqual([]);
  });

  it('keeps promises, by their number', () => {
    const [small, large] = promisesOf([make('a', { promises: [10n, 9n, 9n] }), make('b', { promises: [9n] })]);
    expect([small!.promise, small!.keptBy.map(({ id }) => id)]).toEqual([9n, ['a', 'b']]);
    expect([large!.promise, large!.keptBy.length]).toEqual([10n, 1]);
  });

  it('covers shares', () => {
    const counts = coverageOf([
      make('a', { tests: ['x'] }, 'passed'),
      make('b', { promises: [1n] }, 'waived'),
      make('c'),
    ]);
    expect(counts).toEqual({ capabilities: 3, tested: 1, audited: 2, passed: 1, promising: 1 });
    expect([shareOf(1, 3), shareOf(0, 0)]).toEqual([0.333, 0]);
  });
});
