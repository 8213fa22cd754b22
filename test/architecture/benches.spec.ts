import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const benches = Object.entries(scripts).filter(([name]) => /^bench(:|$)/.test(name));
/** These run a specification with more operations: they pass or fail, and measure nothing. */
const SPECIFICATIONS = ['bench:credits'];

/** `main` of dist-bench/bench/main.js. */
const programOf = (command: string): string | undefined => /node dist-bench\/bench\/([\w-]+)\.js$/.exec(command)?.[1];
const programs = benches.flatMap(([, command]) => programOf(command) ?? []);

/** How a program falls short of taking --json and printing its result by a report alone. */
function faultsOf(program: string, source: string): string[] {
  const runs = [...source.matchAll(/new BenchRun\('([\w-]+)'/g)].map(([, name]) => name);
  const asked: [string, boolean][] = [
    [`runs are called ${runs.join(', ') || 'nothing'}`, runs.length === 1 && runs[0] === program],
    ['no .addOption(jsonOption())', source.includes('.addOption(jsonOption())')],
    ["a '--json' of its own", !/'--json\b/.test(source)],
    ['run.print() is not called once', source.split('run.print(').length === 2],
    ['run.print() gets no series', !/run\.print\([^,()]*\)/.test(source) && !/run\.print\([^;]*, \[\]/.test(source)],
    ['makes no series', /from '\.\/(?:report|speed-rows)\.js'/.test(source)],
    ['writes its result itself', !/process\.stdout\.write\((?!compareReports\(|`Wrote )/.test(source)],
  ];
  return asked.filter(([, isSo]) => !isSo).map(([fault]) => fault);
}

const sourceOf = (program: string): string => readFileSync(join(ROOT, 'bench', `${program}.ts`), 'utf8');

it('every bench of package.json is a program of bench/, and every program there is one of them', () => {
  const others = benches.filter(([, command]) => programOf(command) === undefined).map(([name]) => name);
  expect(others).toEqual(SPECIFICATIONS);
  for (const name of SPECIFICATIONS) expect(scripts[name]).toMatch(/scripts\/test\.mjs \S+\.spec\.ts$/);
  const withCommand = globSync('bench/*.ts', { cwd: ROOT })
    .map((file) => basename(file, '.ts'))
    .filter((program) => sourceOf(program).startsWith('#!'));
  expect(programs.length).toBeGreaterThanOrEqual(16);
  expect(programs.toSorted()).toEqual(withCommand.toSorted());
});

it.each(programs)('%s writes a report', (program) => {
  expect(faultsOf(program, sourceOf(program))).toEqual([]);
});

it('sees a program that has no report, or one without series', () => {
  expect(faultsOf('fit', 'process.stdout.write(JSON.stringify({ rows }));')).toHaveLength(5);
  const source = sourceOf('sync');
  const changes: [RegExp, string][] = [
    [/new BenchRun\('sync'/, "new BenchRun('other'"],
    [/\.addOption\(jsonOption\(\)\)/, ".option('--json', 'print one JSON object')"],
    [/run\.print\(result, seriesOf\(result\), textOf\)/, 'run.print(result)'],
    [/run\.print\(result, seriesOf\(result\), textOf\)/, 'run.print(result, [], textOf)'],
    [/run\.print\(result, /, 'print(result, '],
    [/run\.print\(result, /, 'process.stdout.write(JSON.stringify(result)); run.print(result, '],
  ];
  for (const [from, to] of changes) {
    const changed = source.replace(from, to);
    expect(changed).not.toBe(source);
    expect(faultsOf('sync', changed), to).not.toEqual([]);
  }
});
