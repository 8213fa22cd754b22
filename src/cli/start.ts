import { Argument, Command, Option } from 'commander';
import type { AppName } from '../apps/supervisor/foreground.js';
import { fail } from './output.js';

/** `svc start` runs everything under the supervisor; `svc start api` runs one app in the foreground, as a container does. */
export const startCommand = (): Command =>
  new Command('start')
    .description(
      'run svc: the embedded PostgreSQL (unless SVC_DATABASE_URL is set) and every app, or one app in the foreground',
    )
    .addArgument(new Argument('[app]', 'one app, in the foreground').choices(['api', 'tools']))
    .addOption(new Option('--supervised').hideHelp())
    .action(async (app: AppName | undefined, { supervised = false }: { supervised?: boolean }) => {
      // Whatever a failed start left open, connections or the supervisor's channel, must not keep the process.
      process.exit(await (app ? runForeground(app, supervised) : runAll()).catch(tellFailure));
    });

function tellFailure(error: unknown): number {
  fail(error, false);
  return 1;
}

async function runForeground(app: AppName, supervised: boolean): Promise<number> {
  const { runApp } = await import('../apps/supervisor/foreground.js');
  return runApp(app, { supervised });
}

async function runAll(): Promise<number> {
  const { runSupervisor } = await import('../apps/supervisor.js');
  return runSupervisor();
}
