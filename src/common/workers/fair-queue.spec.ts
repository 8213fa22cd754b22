import { expect, it } from 'vitest';
import { FairQueue, QueueFull, type QueueLimits } from './fair-queue.js';

/** Work that ends when the test ends it, and in which order it began. */
function given(limits: QueueLimits) {
  const queue = new FairQueue(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  /** The first letter names the client. */
  const work = (name: string, bytes = 0): Promise<void> =>
    queue.run(name[0]!, bytes, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)!();
    await new Promise(setImmediate);
  };
  return { begun, work, end };
}

it('clients take turns, the one with the fewest under way first', async () => {
  const { begun, work, end } = given({ atOnce: 2 });
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => work(name));
  const order = ['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4'];
  for (const name of order) await end(name);
  expect(begun).toEqual(order);
  await Promise.all(all);
});

it('a client has no more under way than it may, whatever is free', async () => {
  const { begun, work, end } = given({ atOnce: 3, ofClient: 1 });
  const all = ['a1', 'a2', 'b1', 'a3'].map((name) => work(name));
  await new Promise(setImmediate);
  expect(begun).toEqual(['a1', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1']);
  for (const name of ['a1', 'a2', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  await Promise.all(all);
});

it('no more waits than may, by number and by bytes, and what has begun waits no longer', async () => {
  const { work, end } = given({ places: 2, bytes: 100 });
  const first = work('a1', 1_000);
  const second = work('b1', 60);
  await expect(work('c1', 60)).rejects.toThrow(QueueFull);
  const third = work('c2', 40);
  await expect(work('c3', 0)).rejects.toThrow(QueueFull);
  await end('a1');
  const last = work('c4', 60);
  for (const name of ['b1', 'c2', 'c4']) await end(name);
  await Promise.all([first, second, third, last]);
});

it('who waits for too long is rejected, and leaves its place', async () => {
  const { begun, work, end } = given({ places: 1, waitMs: 20 });
  const first = work('a1');
  await expect(work('b1')).rejects.toThrow(QueueFull);
  const next = work('c1');
  await end('a1');
  await end('c1');
  await Promise.all([first, next]);
  expect(begun).toEqual(['a1', 'c1']);
});
