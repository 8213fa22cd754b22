import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

const MIB = 1024 * 1024;

/** What a report says of itself, so that two of them can be compared. */
export interface Circumstances {
  /** Of this layout. */
  format: 1;
  bench: string;
  at: string;
  /** Of the checkout, with `-dirty` where files were changed; null outside of one. */
  commit: string | null;
  machine: {
    cpu: string;
    cores: number;
    memoryMiB: number;
    system: string;
    node: string;
    /** Processes that wanted to run, over a minute. */
    load: { before: number; after: number };
  };
  settings: object;
}

/** A benchmark as it runs: prints what came of it as one JSON object with its circumstances, or for people. */
export class BenchRun {
  private readonly before = loadavg()[0]!;

  /** @param settings as they were given; with `json: true` everything is printed as JSON */
  constructor(
    private readonly bench: string,
    private readonly settings: { json?: boolean },
  ) {}

  /** @param describe without it people get JSON too, indented */
  print<Result extends object>(result: Result, describe?: (result: Result) => string): void {
    const all = { ...this.circumstances(), ...result };
    if (this.settings.json) process.stdout.write(`${JSON.stringify(all)}\n`);
    else process.stdout.write(describe ? describe(result) : `${JSON.stringify(all, withoutSamples, 2)}\n`);
  }

  private circumstances(): Circumstances {
    const { json: _json, ...settings } = this.settings;
    return {
      ...{ format: 1, bench: this.bench, at: new Date().toISOString(), commit: commitOfCheckout() },
      machine: {
        ...{ cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() },
        ...{ memoryMiB: Math.round(totalmem() / MIB), system: `${type()} ${release()}`, node: process.versions.node },
        load: { before: this.before, after: loadavg()[0]! },
      },
      settings,
    };
  }
}

/** Nobody reads thousands of numbers. */
const withoutSamples = (name: string, value: unknown): unknown => (name === 'samples' ? undefined : value);

function commitOfCheckout(): string | null {
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(
    'git',
    ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'],
    options,
  );
  return status === 0 ? stdout.trim() : null;
}
