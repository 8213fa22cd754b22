import { describe, expect, it } from 'vitest';
import { compareVectors, joinVectors, mergeVersions, winnerOf } from './sync-merge.rules.js';

/** The same numbers every time (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

interface Version {
  digest: string;
  vector: Record<string, number>;
  isDeleted: boolean;
}

const versionsOf = (random: (below: number) => number): Version[] =>
  Array.from({ length: random(6) }, () => {
    const vector: Record<string, number> = {};
    for (const origin of ['a', 'b', 'c']) if (random(3) > 0) vector[origin] = 1 + random(3);
    vector['a'] ??= 1;
    const variant = random(3);
    return { digest: `${JSON.stringify(vector)}${variant}`, vector, isDeleted: variant === 0 };
  });

describe('vectors', () => {
  it('are before, after, equal, or know of other writes', () => {
    expect(compareVectors({ a: 1 }, { a: 1 })).toBe('equal');
    expect(compareVectors({ a: 1 }, { a: 1, b: 1 })).toBe('before');
    expect(compareVectors({ a: 2, b: 1 }, { a: 1, b: 1 })).toBe('after');
    expect(compareVectors({ a: 2 }, { a: 1, b: 1 })).toBe('concurrent');
    expect(compareVectors({ constructor: 1 }, { a: 1 })).toBe('concurrent');
  });

  it('join to what is after all of them', () => {
    expect(joinVectors([{ a: 1, b: 3 }, { a: 2 }])).toEqual({ a: 2, b: 3 });
    expect(joinVectors([])).toEqual({});
  });
});

describe('the merge of versions', () => {
  it('is commutative, associative and idempotent', () => {
    for (let seed = 1; seed <= 1000; seed += 1) {
      const random = seeded(seed);
      const [x, y, z] = [versionsOf(random), versionsOf(random), versionsOf(random)];
      const once = mergeVersions(x, y);
      expect(mergeVersions(y, x), `seed ${seed}`).toEqual(once);
      expect(mergeVersions(once, once)).toEqual(once);
      expect(mergeVersions(once, y)).toEqual(once);
      expect(mergeVersions(mergeVersions(x, y), z)).toEqual(mergeVersions(x, mergeVersions(y, z)));
    }
  });

  it('keeps what no other goes beyond, and of equal vectors both', () => {
    const of = (digest: string, vector: Record<string, number>) => ({ digest, vector });
    const merged = mergeVersions([of('1', { a: 1 }), of('2', { b: 1 })], [of('3', { a: 2 }), of('4', { b: 1 })]);
    expect(merged.map(({ digest }) => digest)).toEqual(['2', '3', '4']);
  });
});

describe('the version that is shown', () => {
  it('is a deletion before any content, then the one that knows of most, then the larger digest', () => {
    const of = (digest: string, n: number, isDeleted = false) => ({ digest, vector: { a: n }, isDeleted });
    expect(winnerOf([of('a', 9), of('b', 1, true)]).digest).toBe('b');
    expect(winnerOf([of('a', 9), of('b', 1)]).digest).toBe('a');
    expect(winnerOf([of('a', 1), of('b', 1)]).digest).toBe('b');
    expect(winnerOf([of('a', Number.MAX_SAFE_INTEGER - 1), of('b', Number.MAX_SAFE_INTEGER)]).digest).toBe('b');
  });

  it('is the same in whatever order they are looked at', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const versions = [...new Map(versionsOf(seeded(seed)).map((one) => [one.digest, one])).values()];
      if (versions.length > 0) expect(winnerOf(versions)).toBe(winnerOf(versions.toReversed()));
    }
  });
});
