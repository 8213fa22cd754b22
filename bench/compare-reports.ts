import { compareSamples, FEWEST, type Ratio } from './bootstrap.js';
import { readReport, type BenchReport, type Series } from './report.js';
import { figure, table } from './table.js';

const HEAD = ['series', 'unit', 'better', 'samples', 'first', 'second', 'ratio', '95 % of the ratio', 'second is'];

/**
 * The series that two reports of a benchmark have in common: median of both (or mean), the ratio of the second to the
 * first with an interval, and whether they differ beyond the noise of a run. What else differs is said first.
 * @param files two reports that a benchmark wrote with --json
 * @throws Error where they are not two reports of one benchmark
 */
export function compareReports(files: readonly string[]): string {
  if (files.length !== 2) throw new Error('--compare takes two files: those before and after a change');
  const [first, second] = files.map(readReport) as [BenchReport, BenchReport];
  if (first.bench !== second.bench)
    throw new Error(`${files[0]} is of ${first.bench}, ${files[1]} is of ${second.bench}: nothing to compare`);
  const before = new Map(first.series.map((series) => [series.name, series]));
  const rows = second.series.flatMap((series) => {
    const same = before.get(series.name);
    return same ? [rowOf(same, series)] : [];
  });
  const alone = first.series.length + second.series.length - 2 * rows.length;
  return [
    ...[describe('first', first), describe('second', second)],
    ...differences(first, second),
    '',
    table(
      HEAD,
      rows.map(({ cells }) => cells),
    ),
    ...summary(rows.map(({ verdict }) => verdict)),
    ...(alone > 0 ? [`${alone} series are in one of them alone.`] : []),
    '',
  ].join('\n');
}

function describe(which: string, { bench, started, commit, dirty, machine }: BenchReport): string {
  const code = commit === null ? 'no commit' : `${commit}${dirty ? ' with changed files' : ''}`;
  return `${which}: ${bench} of ${code}, ${started}, ${machine.cpu}, ${machine.cores} cores, load ${machine.load.before.toFixed(1)} before`;
}

/** Of settings and machine, by name. */
function differences(first: BenchReport, second: BenchReport): string[] {
  const { load: _of, ...machine } = first.machine;
  const { load: _other, ...other } = second.machine;
  const [settings, machines] = [changes(first.settings, second.settings), changes(machine, other)];
  return [
    ...(settings.length > 0 ? [`The settings differ, so that this is not the same work: ${settings.join('; ')}.`] : []),
    ...(machines.length > 0
      ? [`The machines differ: what the ratios show may be theirs: ${machines.join('; ')}.`]
      : []),
  ];
}

function changes(first: Record<string, unknown>, second: Record<string, unknown>): string[] {
  const text = (value: unknown): string => JSON.stringify(value) ?? 'not given';
  return [...new Set([...Object.keys(first), ...Object.keys(second)])]
    .filter((name) => text(first[name]) !== text(second[name]))
    .map((name) => `${name} ${text(first[name])} and ${text(second[name])}`);
}

type Verdict = 'better' | 'worse' | 'within noise' | 'unknown';

function rowOf(first: Series, second: Series): { cells: string[]; verdict: Verdict } {
  const ratio = compareSamples(first, second);
  const verdict = judge(ratio, second.better);
  const interval = ratio.interval && `${figure(ratio.interval.low, 2)} to ${figure(ratio.interval.high, 2)}`;
  const cells = [
    ...[second.name, second.unit, second.better, `${first.samples.length}, ${second.samples.length}`],
    ...[digits(ratio.first), digits(ratio.second), figure(ratio.ratio, 2), interval ?? '-'],
    verdict === 'unknown' ? '-' : verdict,
  ];
  return { cells, verdict };
}

const digits = (value: number): string => figure(value, value >= 100 ? 0 : value >= 1 ? 2 : 4);

function judge({ interval }: Ratio, better: Series['better']): Verdict {
  if (!interval) return 'unknown';
  if (interval.low <= 1 && interval.high >= 1) return 'within noise';
  return interval.low > 1 === (better === 'higher') ? 'better' : 'worse';
}

function summary(verdicts: readonly Verdict[]): string[] {
  const of = (which: Verdict): number => verdicts.filter((verdict) => verdict === which).length;
  const [better, worse, within, silent] = [of('better'), of('worse'), of('within noise'), of('unknown')];
  const [measured, beyond] = [better + worse + within, better + worse];
  return [
    `${beyond} of ${measured} series differ beyond noise: ${better} better, ${worse} worse. By chance one in twenty would.`,
    ...(silent > 0
      ? [`${silent} have fewer than ${FEWEST} samples, or a first of 0: no interval, and so no statement.`]
      : []),
    'The interval holds the noise within the two runs. What differs from run to run shows when a build is compared with itself.',
  ];
}
