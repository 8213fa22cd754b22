import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Scheduler } from './scheduler.js';

let scheduler: Scheduler;
beforeEach(() => {
  vi.useFakeTimers();
  scheduler = new Scheduler(pino({ level: 'silent' }));
});
afterEach(async () => {
  await scheduler.onModuleDestroy();
  vi.useRealTimers();
});

const EVERY_MS = 1_000;

/** Work whose runs end when the test ends them. */
function longWork() {
  const runs: PromiseWithResolvers<void>[] = [];
  const work = () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  };
  const end = async () => {
    runs.at(-1)!.resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { runs, work, end };
}

describe('scheduled work', () => {
  it('runs at once and then on time, but never twice at once', async () => {
    const { runs, work, end } = longWork();
    scheduler.every('long', EVERY_MS, work);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
    expect(runs).toHaveLength(1);
    await end();
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(runs).toHaveLength(2);
    await end();
  });

  it('runs when it is woken', async () => {
    let runs = 0;
    const work = scheduler.every('woken', EVERY_MS, () => (runs += 1));
    await vi.advanceTimersByTimeAsync(0);
    work.wake();
    expect(runs).toBe(2);
  });

  it('runs once more after the present run, however often it was woken meanwhile', async () => {
    const { runs, work, end } = longWork();
    const timed = scheduler.every('long', EVERY_MS, work);
    for (let times = 0; times < 3; times += 1) timed.wake();
    expect(runs).toHaveLength(1);
    await end();
    expect(runs).toHaveLength(2);
    await end();
    expect(runs).toHaveLength(2);
  });

  it('goes on after a failure, and says so until it succeeds', async () => {
    const outcomes = [() => Promise.reject(new Error('away')), () => Promise.resolve()];
    scheduler.every('failing', EVERY_MS, () => outcomes.shift()!());
    await vi.advanceTimersByTimeAsync(0);
    expect(scheduler.list()).toEqual([{ name: 'failing', state: 'failing', everyMs: EVERY_MS, lastRunAt: null }]);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(scheduler.list()).toMatchObject([{ state: 'waiting', lastRunAt: expect.any(Date) }]);
  });
});

describe('the end of the process', () => {
  it('waits for what runs, and lets nothing begin again', async () => {
    const { runs, work, end } = longWork();
    const timed = scheduler.every('long', EVERY_MS, work);
    timed.wake();
    const ended = vi.fn();
    const ending = scheduler.onModuleDestroy().then(ended);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(ended).not.toHaveBeenCalled();
    await end();
    await ending;
    timed.wake();
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(runs).toHaveLength(1);
    expect(scheduler.list()).toMatchObject([{ state: 'stopped' }]);
  });

  it('leaves work to its owner that goes on until the owner stops it', async () => {
    let runs = 0;
    const work = scheduler.every('owned', EVERY_MS, () => (runs += 1), { isStoppedByOwner: true });
    await scheduler.onModuleDestroy();
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect([runs, work.isStopped]).toEqual([2, false]);
    await work.stop();
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect([runs, work.isStopped]).toEqual([2, true]);
  });
});
