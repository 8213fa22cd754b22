import { describe, expect, it } from 'vitest';
import { GroupedReads } from './grouped-reads.js';

/** Reads whose statement is answered with what was committed when it began; the first one waits to be released. */
function makeReads() {
  const statements: { reader: string; addresses: readonly string[] }[] = [];
  const first = Promise.withResolvers<void>();
  let committed = 0;
  const reads = new GroupedReads<string, number>({
    keyOf: (address) => address,
    read: async (reader, addresses) => {
      const seen = committed;
      if (statements.push({ reader, addresses }) === 1) await first.promise;
      return seen;
    },
  });
  return { reads, statements, release: first.resolve, commit: () => ++committed };
}

describe('reads', () => {
  it('that wait go together, and what several want is read once', async () => {
    const { reads, statements, release } = makeReads();
    const all = [['x'], ['a', 'b'], ['b', 'c']].map((addresses) => reads.find('acme', addresses));
    release();
    await Promise.all(all);
    expect(statements.map(({ addresses }) => addresses)).toEqual([['x'], ['a', 'b', 'c']]);
  });

  it('are not answered with what began before they were asked', async () => {
    const { reads, release, commit } = makeReads();
    const before = reads.find('acme', ['x']);
    commit();
    const after = reads.find('acme', ['x']);
    release();
    expect([await before, await after]).toEqual([0, 1]);
  });

  it('of one tenant do not go with those of another', async () => {
    const { reads, statements, release } = makeReads();
    const all = ['acme', 'other', 'acme', 'other'].map((reader, n) => reads.find(reader, [`${n}`]));
    release();
    await Promise.all(all);
    expect(statements).toEqual([
      { reader: 'acme', addresses: ['0'] },
      { reader: 'other', addresses: ['1'] },
      { reader: 'other', addresses: ['3'] },
      { reader: 'acme', addresses: ['2'] },
    ]);
  });

  it('do not wait for one that takes long', async () => {
    const { reads, release } = makeReads();
    const slow = reads.find('acme', ['x']);
    expect(await reads.find('acme', ['y'])).toBe(0);
    release();
    expect(await slow).toBe(0);
  });
});
