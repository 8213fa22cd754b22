import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WriterQueue } from './writer-queue.js';

/** Work that runs until the test ends it. */
function held(): { work: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}
const open = new AbortController().signal;

describe('the queue of those who seal', () => {
  it('lets one at a time through, in the order in which they came', async () => {
    const queue = new WriterQueue();
    const seen: string[] = [];
    const task = (name: string) => async () => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => queue.run(open, task(name))));
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('goes on after work that fails', async () => {
    const queue = new WriterQueue();
    const failing = queue.run(open, () => Promise.reject(new Error('no')));
    const next = queue.run(open, () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('never begins work whose time is over, and lets nobody overtake what still runs', async () => {
    const queue = new WriterQueue();
    const first = held();
    const running = queue.run(open, first.work);
    const late = new AbortController();
    let hasBegun = false;
    const waiting = queue.run(late.signal, () => {
      hasBegun = true;
      return Promise.resolve();
    });
    let isThird = false;
    const third = queue.run(open, () => {
      isThird = true;
      return Promise.resolve();
    });
    late.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
    await turn();
    expect([hasBegun, isThird]).toEqual([false, false]);
    first.end();
    await Promise.all([running, third]);
    expect([hasBegun, isThird]).toEqual([false, true]);
    await expect(queue.run(late.signal, () => Promise.resolve())).rejects.toThrow('too late');
  });
});
