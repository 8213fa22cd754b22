import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { TimedThreads } from './timed-threads.js';

interface Task {
  /** It ends once its first number is not 0. */
  gate?: Int32Array;
  fills?: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'svc-timed-threads-'));
const filename = join(folder, 'work.mjs');
writeFileSync(
  filename,
  `export default ({ gate, fills }) => {
     const all = [];
     while (fills) all.push(new Array(10_000).fill(1));
     if (gate) Atomics.wait(gate, 0, 0);
     return 'done';
   };`,
);
const threads = new TimedThreads<Task, string>({ filename, minThreads: 0, maxThreads: 1, heapMb: 32 });
afterAll(async () => {
  await threads.destroy();
  rmSync(folder, { recursive: true });
});

const gateOf = () => new Int32Array(new SharedArrayBuffer(4));
function open(gate: Int32Array): void {
  gate[0] = 1;
  Atomics.notify(gate, 0);
}

describe('work in threads', () => {
  it('begins, and with it its time, when a thread is free for it', async () => {
    const gate = gateOf();
    const begun: string[] = [];
    const work = (name: string) =>
      threads.whenFree(name, (run) => {
        begun.push(name);
        return run({ gate }, 60_000);
      });
    const [first, second] = [work('first'), work('second')];
    await turn();
    expect(begun).toEqual(['first']);
    open(gate);
    expect(await Promise.all([first, second])).toEqual(['done', 'done']);
    expect(begun).toEqual(['first', 'second']);
  });

  it('that takes too much time or memory is ended, and what waited for its thread is done', async () => {
    const endless = threads.run({ gate: gateOf() }, 1_000);
    const greedy = threads.run({ fills: true }, 60_000);
    const next = threads.run({}, 60_000);
    await expect(endless).rejects.toMatchObject({ name: 'ThreadExhausted', lacking: 'time' });
    await expect(greedy).rejects.toMatchObject({ name: 'ThreadExhausted', lacking: 'memory' });
    expect(await next).toBe('done');
  });
});
