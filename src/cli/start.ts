import { Argument, Command, Option } from 'commander';
import type { AppName } from '../apps/supervisor/foreground.js';
import { fail } from './output.js';

/**
 * `svc start` runs everything under the supervisor; `svc start api` runs one app in the foreground, as a container
 * does.
 */
export const startCommand = (): Command =>
  new Command('start')
    .description(
      'run svc: the embedded PostgreSQL (unless SVC_DATABASE_URL is set) and every app, or one app in the foreground',
    )
    .addArgument(new Argument('[app]', 'one app, in the foreground').choices(['api', 'tools', 'daemon']))
    .addOption(new Option('--supervised').hideHelp())
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (app: AppName | undefined, { supervised = false }: { supervised?: boolean }, command: Command) => {
      // memory-daemon.md 4.12: the daemon is configured by its environment alone, and passes over what it does not
      // know.
      const [unknown] = command.args.slice(app === undefined ? 0 : 1);
      if (unknown !== undefined && app !== 'daemon') command.error(`error: unknown argument '${unknown}'`);
      // Whatever a failed start left open, connections or the supervisor's channel, must not keep the process.
      process.exit(
        await (app ? runForeground(app, supervised) : runAll()).catch((error: unknown) => fail(error, false)),
      );
    });

async function runForeground(app: AppName, supervised: boolean): Promise<number> {
  const { runApp } = await import('../apps/supervisor/foreground.js');
  return runApp(app, { supervised });
}

async function runAll(): Promise<number> {
  const { runSupervisor } = await import('../apps/supervisor.js');
  return runSupervisor();
}
