import { Command } from 'commander';
import { runScrub } from '../common/scrub/scrub-run.js';
import { acrossTenants, withMigratedDatabase } from './migrated.js';
import { print, table, tableTime, UserError, type OutputOptions } from './output.js';

export const eraseCommand = (): Command =>
  new Command('erase')
    .description('say how far erasures are in the files of the database, and rewrite those now')
    .addCommand(status())
    .addCommand(runNow())
    .addHelpText('after', '\nWhat an erasure is, and how it is asked for: docs/erasure.md.');

interface ScrubRow {
  scrub_id: string;
  reason: string;
  requested_at: Date;
  finished_at: Date | null;
  step: string | null;
}

const status = () =>
  new Command('status')
    .description('list what is removed and not yet scrubbed, and the last that were')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      acrossTenants(async (query) => {
        const scrubs = await query<ScrubRow>(
          `select scrub_id, reason, requested_at, finished_at, step from scrub order by finished_at is null desc, requested_at desc limit 50`,
        );
        print(options, { scrubs }, () =>
          table(
            ['REMOVED', 'OF', 'STATE', 'STEP'],
            scrubs.map(({ requested_at, reason, finished_at, step }) => [
              tableTime(requested_at),
              reason,
              finished_at ? 'scrubbed' : 'removed',
              step ?? '',
            ]),
          ),
        );
      }),
    );

const runNow = () =>
  new Command('run')
    .description('rewrite the files that hold bytes of what was removed; tables are locked one after another')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      withMigratedDatabase(async ({ address, settings }) => {
        const outcome = await runScrub(address, { dataDir: settings.process.dataDir });
        if (!outcome) throw new UserError('Another process is at it; "svc erase status" says how far it is');
        if (outcome.waitsFor !== null) throw new UserError(`It is not complete: ${outcome.waitsFor}`);
        print(options, { scrubbed: outcome.finished }, () => [
          outcome.finished === 0 ? 'There was nothing to do.' : `Scrubbed: ${outcome.finished}.`,
        ]);
      }),
    );
