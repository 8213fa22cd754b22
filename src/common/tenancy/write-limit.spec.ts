import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { placesForWrites, WriteLimit } from './write-limit.js';

/** Writes that end one by one, and in which order they began. */
function given(limit: WriteLimit) {
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  const write = (name: string, party: string): Promise<void> =>
    limit.run(
      () =>
        new Promise<void>((resolve) => {
          begun.push(name);
          end.set(name, resolve);
        }),
      party,
    );
  const finish = async (name: string): Promise<void> => {
    end.get(name)!();
    await new Promise(setImmediate);
  };
  return { begun, write, finish };
}

describe('the places for writes', () => {
  it('leave a third of the connections, one at least, to reads, and are one at least', () => {
    expect([1, 2, 4, 14].map(placesForWrites)).toEqual([1, 1, 3, 10]);
  });

  it('go to the tenant that has the fewest, and within a tenant to who has waited longest', async () => {
    const { begun, write, finish } = given(new WriteLimit(2, 60_000));
    const writes = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => write(name, name[0]!));
    await new Promise(setImmediate);
    expect(begun).toEqual(['a1', 'a2']);
    for (const name of ['a1', 'a2', 'b1', 'a3', 'a4', 'b2']) await finish(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
    await Promise.all(writes);
  });

  it('are not waited for longer than said, and who gave up takes none', async () => {
    const { begun, write, finish } = given(new WriteLimit(1, 20));
    const first = write('a1', 'a');
    await expect(write('a2', 'a')).rejects.toThrow('timeout exceeded when trying to connect');
    await finish('a1');
    await first;
    const last = write('a3', 'a');
    await finish('a3');
    await last;
    expect(begun).toEqual(['a1', 'a3']);
  });

  it('are waited for in turn as long as some become free, and five times as long at most', async () => {
    const limit = new WriteLimit(1, 400);
    const hold = () => limit.run(() => sleep(100), 'a');
    const ended = await Promise.allSettled(Array.from({ length: 40 }, hold));
    const done = ended.filter(({ status }) => status === 'fulfilled').length;
    // Given up 400 ms after it came, none but the first four or five would have its turn.
    expect(done).toBeGreaterThan(6);
    expect(done).toBeLessThan(40);
  });
});
