import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheckpointFolder, superfluous } from './checkpoint-folder.js';

const MINUTE = 60_000;

describe('the folder of kept checkpoints', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-folder-'));
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('is empty before there is one', () => {
    expect(new CheckpointFolder(join(root, 'none')).list()).toEqual(new Map());
  });

  it('keeps each origin apart, whatever stands in it, the largest first', async () => {
    const folder = new CheckpointFolder(root);
    for (const size of [3, 20, 100]) await folder.write('log.example/../x', size, `of ${size}`);
    await folder.write('..', 1, 'of another');
    const [first, second] = [...folder.list().entries()];
    expect([first![0], first![1].map(({ size }) => size)]).toEqual(['..', [1]]);
    expect([second![0], second![1].map(({ size }) => size)]).toEqual(['log.example/../x', [100, 20, 3]]);
    expect(folder.read(second![1][0]!)).toBe('of 100');
    expect(readdirSync(root)).toEqual(['%2E.', 'log.example%2F..%2Fx']);
  });

  it('thins out what is old, and never the newest', () => {
    const now = Date.UTC(2026, 10, 23, 12);
    const every = (n: number, minutes: number) =>
      Array.from({ length: n }, (_, i) => ({ at: now - i * minutes * MINUTE }));
    expect(superfluous(every(16, 1), now)).toEqual([]);
    const day = every(24 * 60, 1);
    expect(day.length - superfluous(day, now).length).toBe(16 + 23);
    const year = every(365 * 24, 60);
    const removed = new Set(superfluous(year, now));
    const kept = year.filter((file) => !removed.has(file));
    expect(kept).toHaveLength(64);
    expect(kept[0]).toBe(year[0]);
    expect(now - kept.at(-1)!.at).toBeGreaterThan(30 * 24 * 60 * MINUTE);
  });
});
