import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { dirname, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { findPostgresBinaries } from '../src/common/database/embedded/platform-binaries.js';
import { FORMAT, type BenchReport, type Series } from './report.js';

const MIB = 1024 * 1024;
const STDOUT = '-';

export interface JsonOption {
  /** Where the report goes; `-` is stdout. */
  json?: string;
}

/** `--json FILE`, which every benchmark has. Alone it stands for `--json -`. */
export const jsonOption = (): Option =>
  new Option('--json [file]', 'write the report with every sample to a file; -, or no file: print it on stdout')
    .preset(STDOUT)
    .argParser(writable);

/** Before anything is measured, for hours perhaps. */
function writable(file: string): string {
  if (file === STDOUT) return file;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidArgumentError('it is a folder; name a file, or - for stdout');
  if (!statSync(dirname(resolve(file)), { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidArgumentError('its folder is not there');
  return file;
}

/** A benchmark as it runs: prints what came of it for people, and its report, docs/benchmarks.md#reports. */
export class BenchRun {
  private readonly started = new Date().toISOString();
  private readonly before = loadavg()[0]!;

  /**
   * @param settings the options, and arguments, as they were parsed
   * @param on which PostgreSQL it measures: that of temporary servers, or none that is known
   */
  constructor(
    private readonly bench: string,
    private readonly settings: JsonOption & object,
    private readonly on: { postgres: 'embedded' | null } = { postgres: 'embedded' },
  ) {}

  /**
   * @param result what the report has in addition, under other names than those of its form
   * @param describe for people; without it they get JSON too, indented
   */
  print<Result extends object>(
    result: Result,
    series: readonly Series[],
    describe: (result: Result) => string = (all) =>
      `${JSON.stringify({ ...all, ...this.circumstances() }, withoutSamples, 2)}\n`,
  ): void {
    const { json } = this.settings;
    const head = { ...this.circumstances(), series: series.filter(({ samples }) => samples.length > 0) };
    // The samples of the result are those of the series.
    const rest = JSON.parse(JSON.stringify(result, withoutSamples)) as object;
    const text = `${JSON.stringify({ ...rest, ...head })}\n`;
    if (json === STDOUT) return void process.stdout.write(text);
    process.stdout.write(describe(result));
    if (json === undefined) return;
    writeFileSync(json, text);
    process.stdout.write(`Report: ${resolve(json)}\n`);
  }

  private circumstances(): Omit<BenchReport, 'series'> {
    const { json: _json, ...settings } = this.settings;
    return {
      ...{ format: FORMAT, bench: this.bench, started: this.started, ended: new Date().toISOString(), ...checkout() },
      machine: {
        ...{ cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() },
        ...{ memoryMiB: Math.round(totalmem() / MIB), system: `${type()} ${release()}`, node: process.versions.node },
        postgres: this.on.postgres && embeddedPostgres(),
        load: { before: this.before, after: loadavg()[0]! },
      },
      settings,
    };
  }
}

/** Nobody reads thousands of numbers. */
const withoutSamples = (name: string, value: unknown): unknown => (name === 'samples' ? undefined : value);

function checkout(): Pick<BenchReport, 'commit' | 'dirty'> {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit = git('rev-parse', 'HEAD');
  return commit === undefined
    ? { commit: null, dirty: null }
    : { commit, dirty: git('status', '--porcelain', '--untracked-files=no') !== '' };
}

function embeddedPostgres(): string | null {
  const { stdout } = spawnSync(findPostgresBinaries(undefined).postgres, ['--version'], { encoding: 'utf8' });
  return /[\d.]+\S*$/.exec(stdout?.trim() ?? '')?.[0] ?? null;
}
