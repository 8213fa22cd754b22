import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadSeries, milliseconds, readReport } from './report.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-report-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REPORT = {
  ...{ format: 2, bench: 'main', started: '2026-11-27T00:00:00.000Z', ended: '2026-11-27T00:00:01.000Z' },
  ...{ commit: null, dirty: null, settings: { sizes: [100], quick: true } },
  machine: {
    ...{ cpu: 'a', cores: 2, memoryMiB: 1, system: 'Linux', node: '24', postgres: null },
    load: { before: 0.5, after: 1 },
  },
  series: [milliseconds('light', [1, 2])],
};
function put(change: object): string {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify({ ...REPORT, ...change }));
  return file;
}

it('reads what a benchmark wrote, whatever else it says', () => {
  expect(readReport(put({ rows: [] }))).toEqual(REPORT);
});

it.each([
  ['format', { format: 1 }],
  ['bench', { bench: undefined }],
  ['started', { started: 'yesterday' }],
  ['machine.cores', { machine: { ...REPORT.machine, cores: '2' } }],
  ['settings', { settings: [] }],
  ['series.0.better', { series: [{ ...REPORT.series[0], better: 'more' }] }],
  ['series.0.samples', { series: [{ ...REPORT.series[0], samples: [] }] }],
  ['series.0.samples.1', { series: [{ ...REPORT.series[0], samples: [1, null] }] }],
])('names %s where it is not as it has to be', (member, change) => {
  expect(() => readReport(put(change))).toThrow(`report.json is no report of a benchmark: ${member}: `);
});

it('names a file that holds no JSON, or none at all', () => {
  const file = join(folder, 'text.json');
  writeFileSync(file, 'measured');
  expect(() => readReport(file)).toThrow(/text\.json is no report: /);
  expect(() => readReport(join(folder, 'absent.json'))).toThrow(/absent\.json is no report: ENOENT/);
});

it('leaves out what is no number', () => {
  expect(milliseconds('light', [1, Number.NaN, undefined, Infinity, 2]).samples).toEqual([1, 2]);
});

it('keeps each latency of a load, and its rate', () => {
  const load = { count: 2, failed: 0, perSecond: 10, p50: 1, p95: 3, p99: 3, samples: [3, 1] };
  expect(loadSeries('light', load)).toEqual([
    { name: 'light', unit: 'ms', better: 'lower', average: 'median', samples: [3, 1] },
    { name: 'light: rate', unit: '/s', better: 'higher', average: 'median', samples: [10] },
  ]);
});
