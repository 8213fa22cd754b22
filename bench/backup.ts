#!/usr/bin/env node
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { wholeNumber } from '../src/cli/whole-number.js';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { childEnvironment } from '../src/common/config/child-environment.js';
import { PROGRAM } from '../src/common/program-file.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { withDatabase } from './database.js';
import { measureIngest } from './ingest-load.js';
import { quantile } from './measures.js';
import { syntheticText } from './passages.js';
import { seconds } from './report.js';
import { figure, say, table } from './table.js';

const MEGABYTE = 1_000_000;
const execute = promisify(execFile);

interface Options extends JsonOption {
  passages: number;
  rounds: number;
}

/** A server's backups and their restores, in seconds. */
interface Moved {
  what: string;
  databaseBytes: number;
  fileBytes: number;
  backups: number[];
  restores: number[];
}

/** `npm run bench:backup`: how fast a database is written to a file and read into a new one. */
const program = new Command('bench:backup')
  .description('time svc backup of a temporary server that runs, and svc restore of it into a new data directory')
  .option('--passages <number>', 'how many are ingested', wholeNumber(100, 1_000_000), 100_000)
  .option('--rounds <number>', 'how often it is done', wholeNumber(1, 100), 3)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('backup', options);
    const moved = await withTemporaryServer({}, (server) => measure(server, options));
    run.print(
      { moved },
      moved.flatMap(({ what, backups, restores }) => [
        seconds(`backup: ${what}`, backups),
        seconds(`restore: ${what}`, restores),
      ]),
      () => describe(moved),
    );
  });

async function measure(server: TemporaryServer, { passages, rounds }: Options): Promise<Moved[]> {
  const empty = await moveAll(server, 'nothing', 1);
  say(`Ingesting ${figure(passages)} passages`);
  await withDatabase(server, (database) =>
    measureIngest([{ address: server, from: 0, count: passages }], syntheticText(), database),
  );
  return [empty, await moveAll(server, `${figure(passages)} passages`, rounds)];
}

async function moveAll(server: TemporaryServer, what: string, rounds: number): Promise<Moved> {
  const moved: Moved = { what, databaseBytes: await sizeOf(server), fileBytes: 0, backups: [], restores: [] };
  for (let round = 1; round <= rounds; round += 1) {
    say(`Backup and restore of ${what}, ${round} of ${rounds}`);
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-backup-'));
    try {
      const file = join(folder, 'backup.tar.gz');
      moved.backups.push(await timed(server.dataDir, ['backup', file]));
      moved.fileBytes = statSync(file).size;
      const restore = ['restore', file, '--without-checkpoint', '--without-erasures'];
      moved.restores.push(await timed(join(folder, 'data'), restore));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return moved;
}

const sizeOf = (server: TemporaryServer): Promise<number> =>
  withDatabase(server, async (database) => {
    const [row] = await database.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes', []);
    return Number(row!.bytes);
  });

/** Seconds that a command of the server's program takes. */
async function timed(dataDir: string, command: string[]): Promise<number> {
  const startedAt = performance.now();
  await execute(process.execPath, [PROGRAM, ...command], { env: childEnvironment({ SVC_DATA_DIR: dataDir }) });
  return (performance.now() - startedAt) / 1000;
}

const middle = (samples: readonly number[]): number => quantile(Float64Array.from(samples).sort(), 0.5);

function describe(moved: readonly Moved[]): string {
  const megabytes = (bytes: number) => figure(bytes / MEGABYTE);
  return table(
    ['what', 'database MB', 'file MB', 'backup s', 'MB/s', 'restore s', 'MB/s'],
    moved.map(({ what, databaseBytes, fileBytes, backups, restores }) => [
      ...[what, megabytes(databaseBytes), megabytes(fileBytes)],
      ...[middle(backups), middle(restores)].flatMap((time) => [figure(time, 1), megabytes(databaseBytes / time)]),
    ]),
  );
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:backup: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
