import { readFileSync } from 'node:fs';
import type { Circumstances } from './bench-run.js';
import type { Measured, Report } from './report.js';
import { figure, table } from './table.js';

type Saved = Circumstances & Report;

const HEAD = ['measured', 'passages', 'clients', 'first / s', 'second / s', 'rate', 'p50', 'p95', 'p99'];

/**
 * What both reports measured, as ratios of the second to the first: more than 1 is faster in `rate` and slower in the
 * others. Figures of different machines are shown, with a warning: they say little.
 * @param files two reports that `npm run bench -- --json` printed
 * @throws Error naming the file that is none
 */
export function compareReports(files: readonly string[]): string {
  if (files.length !== 2) throw new Error('--compare takes two files: those before and after a change');
  const [first, second] = files.map(readReport) as [Saved, Saved];
  const before = new Map(first.rows.map((row) => [keyOf(row), row]));
  const pairs = second.rows.flatMap((row) => {
    const same = before.get(keyOf(row));
    return same ? [[same, row] as const] : [];
  });
  const alone = first.rows.length + second.rows.length - 2 * pairs.length;
  return [
    ...[describe('first', first), describe('second', second)],
    ...(isSameMachine(first, second) ? [] : ['The machines differ: what the ratios show may be theirs.']),
    '',
    table(HEAD, pairs.map(rowOf)),
    ...(alone > 0 ? [`${alone} measurements are in one of them alone.`] : []),
    '',
  ].join('\n');
}

function readReport(file: string): Saved {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Partial<Saved>;
  if (report.format !== 1 || report.bench !== 'main' || !Array.isArray(report.rows))
    throw new Error(`${file} is no report of "npm run bench -- --json"`);
  return report as Saved;
}

const keyOf = ({ what, scale, clients }: Measured): string => JSON.stringify([what, scale, clients]);

const describe = (which: string, { at, commit, machine }: Saved): string =>
  `${which}: ${commit ?? 'no commit'}, ${at}, ${machine.cpu}, ${machine.cores} cores, load ${machine.load.before.toFixed(1)} before`;

const isSameMachine = ({ machine: a }: Saved, { machine: b }: Saved): boolean =>
  a.cpu === b.cpu && a.cores === b.cores && a.memoryMiB === b.memoryMiB;

function rowOf([before, after]: readonly [Measured, Measured]): string[] {
  const ratio = (name: 'perSecond' | 'p50' | 'p95' | 'p99'): string => {
    const [was, is] = [before[name], after[name]];
    return figure(was && is ? is / was : undefined, 2);
  };
  return [
    ...[after.what, after.scale, figure(after.clients), figure(before.perSecond), figure(after.perSecond)],
    ...[ratio('perSecond'), ratio('p50'), ratio('p95'), ratio('p99')],
  ];
}
