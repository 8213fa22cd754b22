import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareReports } from './compare-reports.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-compare-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const row = (perSecond: number, p50: number, what = 'light') => ({ what, scale: '10,000', clients: 8, perSecond, p50 });
const machine = { cpu: 'a', cores: 2, memoryMiB: 1, load: { before: 0.5, after: 1 } };
function put(name: string, rows: object[], more: object = {}): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ format: 1, bench: 'main', at: 'now', commit: name, machine, rows, ...more }));
  return file;
}

it('shows what both measured as ratios of the second to the first', () => {
  const first = put('a.json', [row(1_000, 4), row(10, 1, 'ingest')]);
  const text = compareReports([first, put('b.json', [row(1_500, 2)])]);
  expect(text).toMatch(/\| light\s+\|\s+10,000 \|\s+8 \|\s+1,000 \|\s+1,500 \|\s+1\.50 \|\s+0\.50 \|/);
  expect(text).toContain('1 measurements are in one of them alone.');
  expect(text).not.toContain('machines differ');
});

it('warns of other machines', () => {
  const other = put('c.json', [row(1, 1)], { machine: { ...machine, cpu: 'b' } });
  expect(compareReports([put('a.json', [row(1, 1)]), other])).toContain('The machines differ');
});

it('takes two reports of this benchmark', () => {
  const file = put('a.json', [row(1, 1)]);
  expect(() => compareReports([file])).toThrow('takes two files');
  expect(() => compareReports([file, put('d.json', [], { bench: 'sync' })])).toThrow('d.json is no report');
});
