import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NUMBERS = { sse: 5, streams: 3, seconds: 6, rounds: 1, settle: 0 };

let folder: string;
let file: string;
beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });
  folder = mkdtempSync(join(tmpdir(), 'svc-report-'));
  file = join(folder, 'report.json');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bench = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'dist-bench', 'bench', `${program}.js`), ...args], { encoding: 'utf8' });

it('connections to a temporary tool service are held, counted and given back', { timeout: 180_000 }, () => {
  const options = Object.entries(NUMBERS).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout, stderr } = bench('connections', ...options, '--json', file);
  // The table is for people, whoever else gets the report.
  expect(stdout, stderr).toMatch(/\| 1, held +\|/);
  expect(stdout).toContain(`Report: ${file}\n`);
  const { rounds, series, ...circumstances } = JSON.parse(readFileSync(file, 'utf8'));
  const [round] = rounds;
  expect(circumstances).toMatchObject({
    ...{ format: 2, bench: 'connections', settings: NUMBERS, dirty: expect.any(Boolean) },
    ...{ started: expect.any(String), ended: expect.any(String), commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
    machine: {
      cores: expect.any(Number),
      load: { before: expect.any(Number), after: expect.any(Number) },
      postgres: expect.stringMatching(/^\d+\.\d+/),
    },
  });
  expect(round).toMatchObject({
    lost: 0,
    before: { sse: 0, streams: 0 },
    held: { sse: 5, streams: 3, residentMiB: expect.any(Number) },
    after: { sse: 0, streams: 0 },
  });
  expect(round.calls).toBeGreaterThanOrEqual(3);
  const samplesOf = (name: string) => series.find((one: { name: string }) => one.name === name)?.samples;
  expect(samplesOf('a call on a stream')).toHaveLength(round.calls);
  expect(samplesOf('resident, held')).toEqual([round.held.residentMiB]);
});

it('two reports are compared, and what is none is named', () => {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const other = join(folder, 'other.json');
  writeFileSync(other, JSON.stringify({ ...report, settings: { ...report.settings, sse: 9 } }));
  const compared = bench('main', '--compare', file, other);
  expect(compared.stdout, compared.stderr).toContain(
    'The settings differ, so that this is not the same work: sse 5 and 9.',
  );
  expect(compared.stdout).toMatch(/\| resident, held +\| +MiB \| +lower \|/);
  writeFileSync(other, JSON.stringify({ ...report, machine: { ...report.machine, cores: 'two' } }));
  const refused = bench('main', '--compare', file, other);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('other.json is no report of a benchmark: machine.cores: ');
});

it('a report that could not be written is refused before anything is measured', () => {
  const refused = bench('connections', '--json', folder);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('it is a folder');
  expect(bench('connections', '--json', join(folder, 'absent', 'report.json')).stderr).toContain(
    'its folder is not there',
  );
});
