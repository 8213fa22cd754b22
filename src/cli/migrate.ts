import { Command } from 'commander';
import { withMigratedDatabase } from './migrated.js';
import { print, type OutputOptions } from './output.js';

export const migrateCommand = (): Command =>
  new Command('migrate')
    .description('bring the database to the newest migration, and make the first tenant on an empty one')
    .option(
      '--replace-passwords',
      'give svc_app and svc_operator the passwords made from SVC_DATABASE_URL, whatever they have: servers that log in by others are locked out',
    )
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions & { replacePasswords?: boolean }) =>
      withMigratedDatabase(async ({ ran, made }) => {
        print(options, { ran, ...(made ? { tenant_id: made.tenant_id } : {}) }, () => [
          ran.length ? `Ran ${ran.length} migration(s): ${ran.join(', ')}` : 'Nothing to migrate.',
          ...(made ? [`Made the first tenant, ${made.tenant_id}.`] : []),
        ]);
      }, options.replacePasswords),
    );
