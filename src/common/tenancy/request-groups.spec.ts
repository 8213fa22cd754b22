import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { invalid } from '../problem/common-problems.js';
import { RequestGroups, takeWithin } from './request-groups.js';

const refused = (): DatabaseError => Object.assign(new DatabaseError('refused', 0, 'error'), { code: '22000' });
const away = (): DatabaseError => Object.assign(new DatabaseError('shutting down', 0, 'error'), { code: '57P01' });

/** A group whose first transaction, of the number 0, waits until others have asked. */
function groupOf(run: (numbers: readonly number[]) => (number | Error)[], most = Infinity) {
  const sizes: number[] = [];
  const first = Promise.withResolvers<void>();
  const group = new RequestGroups<number, number>({
    take: ({ length }) => Math.min(length, most),
    run: async (numbers) => {
      if (numbers[0] === 0) await first.promise;
      else sizes.push(numbers.length);
      return run(numbers);
    },
  });
  const addAll = async (...numbers: number[]) => {
    const begun = group.add('a', 0);
    await nextTurn();
    const all = settled(numbers.map((number) => group.add('a', number)));
    first.resolve();
    await begun;
    return all;
  };
  return { group, sizes, addAll };
}
const settled = (all: Promise<number>[]) =>
  Promise.all(
    all.map((one) =>
      one.then(
        (value) => value,
        (error: Error) => error.message,
      ),
    ),
  );
const doubled = (numbers: readonly number[]): number[] => numbers.map((number) => number * 2);

describe('requests of a line', () => {
  it('that wait while one is written go together, each with its own answer', async () => {
    const { addAll, sizes } = groupOf(doubled);
    expect(await addAll(1, 2, 3)).toEqual([2, 4, 6]);
    expect(sizes).toEqual([3]);
  });

  it('go on after those that were taken', async () => {
    const { addAll, sizes } = groupOf(doubled, 2);
    expect(await addAll(1, 2, 3)).toEqual([2, 4, 6]);
    expect(sizes).toEqual([2, 1]);
  });

  it('do not go with those of another', async () => {
    const { group, sizes } = groupOf(doubled);
    await settled([group.add('a', 1), group.add('b', 2)]);
    expect(sizes).toEqual([1, 1]);
  });

  it('are refused one by one', async () => {
    const { addAll } = groupOf((numbers) => numbers.map((number) => (number === 2 ? new Error('no') : number)));
    expect(await addAll(1, 2, 3)).toEqual([1, 'no', 3]);
  });

  it('are tried one by one where the database rejects them all', async () => {
    const { addAll, sizes } = groupOf((numbers) => {
      if (numbers.includes(2)) throw refused();
      return [...numbers];
    });
    expect(await addAll(1, 2, 3)).toEqual([1, 'refused', 3]);
    expect(sizes).toEqual([3, 1, 1, 1]);
  });

  it('are tried one by one where there is a problem, which may be that of one', async () => {
    const { addAll, sizes } = groupOf((numbers) => {
      if (numbers.includes(2)) throw invalid('body.number', 'must be odd');
      return [...numbers];
    });
    expect(await addAll(1, 2, 3)).toEqual([1, expect.stringContaining('must be odd'), 3]);
    expect(sizes).toEqual([3, 1, 1, 1]);
  });

  it('are not waited for where they have more to do first', async () => {
    const sizes: number[] = [];
    const run = async (numbers: readonly number[]) => (sizes.push(numbers.length), doubled(numbers));
    const group = new RequestGroups<number, number>({ take: ({ length }) => length, run, waitsForNone: true });
    await settled([1, 2, 3].map((number) => group.add('a', number)));
    const later = [group.add('a', 4), nextTurn().then(() => group.add('a', 5))];
    expect(await settled(later)).toEqual([8, 10]);
    expect(sizes).toEqual([1, 2, 1, 1]);
  });

  it('wait for a time of their own where they come soon after others', async () => {
    const begun: [at: number, size: number][] = [];
    const run = async (numbers: readonly number[]) => (
      begun.push([performance.now(), numbers.length]),
      doubled(numbers)
    );
    const work = { take: ({ length }: readonly number[]) => length, run, waitsForNone: true as const, everyMs: 40 };
    const group = new RequestGroups<number, number>(work);
    expect(await group.add('a', 1)).toBe(2);
    expect(await settled([2, 3].map((number) => group.add('a', number)))).toEqual([4, 6]);
    expect(begun.map(([, size]) => size)).toEqual([1, 2]);
    // A timer may be a millisecond early.
    expect(begun[1]![0] - begun[0]![0]).toBeGreaterThan(38);
  });

  it('do not wait where the ones before took longer than that time, and nothing is warned of', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const run = async (numbers: readonly number[]) => (await sleep(20), doubled(numbers));
    const work = { take: ({ length }: readonly number[]) => length, run, waitsForNone: true as const, everyMs: 5 };
    const group = new RequestGroups<number, number>(work);
    expect(await settled([1, 2].map((number) => group.add('a', number)))).toEqual([2, 4]);
    await sleep(20);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('wait for those before for a time at most, where they only read', async () => {
    const ends = [1, 2].map(() => Promise.withResolvers<void>());
    const run = async (numbers: readonly number[]) => (await ends[numbers[0]! - 1]!.promise, doubled(numbers));
    const take = ({ length }: readonly number[]) => length;
    const group = new RequestGroups<number, number>({ take, run, waitsForNone: true, afterMs: 5 });
    const [slow, fast] = [group.add('a', 1), group.add('a', 2)];
    ends[1]!.resolve();
    expect(await fast).toBe(4);
    ends[0]!.resolve();
    expect(await slow).toBe(2);
  });

  it('fail together where the database is away', async () => {
    const { addAll, sizes } = groupOf((numbers) => {
      if (numbers.length > 1) throw away();
      return [...numbers];
    });
    expect(await addAll(1, 2, 3)).toEqual(['shutting down', 'shutting down', 'shutting down']);
    expect(sizes).toEqual([3]);
  });
});

describe('as many as go together', () => {
  const take = (...sizes: number[]) => takeWithin(sizes, [() => 1, 3], [(size) => size, 10]);

  it('are within every limit', () => {
    expect([take(1, 1), take(1, 1, 1, 1), take(4, 6, 1), take(4, 7, 1)]).toEqual([2, 3, 2, 1]);
  });

  it('are one where the first is over it', () => {
    expect(take(11, 1)).toBe(1);
  });
});
