import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareReports } from './compare-reports.js';
import { milliseconds, perSecond, share, type Series } from './report.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-compare-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const machine = {
  ...{ cpu: 'a', cores: 2, memoryMiB: 1, system: 'Linux', node: '24', postgres: '18.4' },
  load: { before: 0.5, after: 1 },
};
function put(name: string, series: Series[], more: object = {}): string {
  const file = join(folder, name);
  const times = { started: '2026-11-27T00:00:00.000Z', ended: '2026-11-27T00:00:01.000Z' };
  const code = { commit: name, dirty: false, settings: { seconds: 5 } };
  writeFileSync(file, JSON.stringify({ format: 2, bench: 'main', ...times, ...code, machine, series, ...more }));
  return file;
}

/** Around a middle, the same in every run. */
const around = (middle: number, count = 200): number[] =>
  Array.from({ length: count }, (_, n) => middle * (1 + ((n * 7919) % 101) / 1_000));

it('says which series differ beyond noise, and in which direction', () => {
  const first = put('a.json', [
    milliseconds('slower', around(4)),
    milliseconds('faster', around(4)),
    milliseconds('as before', around(4)),
    perSecond('more', around(10)),
    share('found', [...around(0.5), 0]),
    milliseconds('gone', [1]),
  ]);
  const second = put('b.json', [
    milliseconds('slower', around(5)),
    milliseconds('faster', around(2)),
    milliseconds('as before', around(4).reverse()),
    perSecond('more', around(12)),
    share('found', [...around(0.5), 0]),
    perSecond('rate', [3]),
  ]);
  const text = compareReports([first, second]);
  const row = (name: string) => text.split('\n').find((line) => line.startsWith(`| ${name} `));
  expect(row('slower')).toMatch(
    /\| +ms \| +lower \| +200, 200 \| +4\.20 \| +5\.25 \| +1\.25 \| +1\.\d\d to 1\.\d\d \| +worse \|/,
  );
  expect(row('faster')).toMatch(/\| +0\.50 \| .* \| +better \|$/);
  expect(row('as before')).toMatch(/\| +1\.00 \| .* \| within noise \|$/);
  expect(row('more')).toMatch(/\| +1\.20 \| .* \| +better \|$/);
  expect(row('found')).toMatch(/within noise \|$/);
  expect(text).toContain('3 of 5 series differ beyond noise: 2 better, 1 worse.');
  expect(text).toContain('2 series are in one of them alone.');
  expect(text).not.toContain('differ, so that');
});

it('says nothing of few samples, and nothing of a first of 0', () => {
  const first = put('a.json', [perSecond('rate', [10]), milliseconds('few', around(1, 7)), share('none', around(0))]);
  const second = put('b.json', [perSecond('rate', [30]), milliseconds('few', around(2, 7)), share('none', around(1))]);
  const text = compareReports([first, second]);
  expect(text).toMatch(/\| rate .* \| +3\.00 \| +- \| +- \|/);
  expect(text).toMatch(/\| few .* \| +2\.00 \| +- \| +- \|/);
  expect(text).toMatch(/\| none .* \| +- \| +- \| +- \|/);
  expect(text).toContain('0 of 0 series differ');
  expect(text).toContain('3 have fewer than 8 samples');
});

it('says first what else differs', () => {
  const series = [milliseconds('light', [1])];
  const other = { machine: { ...machine, cpu: 'b' }, settings: { seconds: 1, quick: true }, dirty: true };
  const text = compareReports([put('a.json', series), put('c.json', series, other)]);
  const [settings, machines] = ['The settings differ', 'The machines differ'].map((what) => text.indexOf(what));
  expect(text).toContain('seconds 5 and 1; quick not given and true.');
  expect(text).toContain('cpu "a" and "b".');
  expect(text).toContain('c.json with changed files');
  expect(Math.min(settings!, machines!)).toBeGreaterThan(0);
  expect(Math.max(settings!, machines!)).toBeLessThan(text.indexOf('| series'));
});

it('takes two reports of one benchmark', () => {
  const file = put('a.json', [milliseconds('light', [1])]);
  expect(() => compareReports([file])).toThrow('takes two files');
  expect(() => compareReports([file, put('d.json', [], { bench: 'sync' })])).toThrow(
    /a\.json is of main, .*d\.json is of sync/,
  );
});
