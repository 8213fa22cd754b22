import { Command, InvalidArgumentError, Option } from 'commander';
import { HOOKS, type HookName } from './hook/hook-script.js';
import { HOOK_MODES, type HookOptions } from './hook/hook-config.js';
import { print, type OutputOptions } from './output.js';

/** `svc hook`: git asks who holds the touched paths before each commit and push (docs/hook.md). */
export const hookCommand = (): Command =>
  new Command('hook')
    .description('check punchcards of touched paths before each git commit and push')
    .addCommand(install())
    .addCommand(uninstall())
    .addCommand(run());

const install = () =>
  new Command('install')
    .description('put the hooks pre-commit and pre-push into this repository; hooks that are there run first')
    .option('--shared', 'also into a folder outside the repository, where core.hooksPath names one')
    .option('--json', 'print one JSON object')
    .action(async (options: OutputOptions & { shared?: true }) => {
      const { installHooks } = await import('./hook/hook-install.js');
      const { folder, hooks } = installHooks(options.shared === true);
      print(options, { folder, hooks }, () => [
        ...hooks.map(({ name, kept }) => `${name}: installed${kept === null ? '' : `; ${kept} runs first`}`),
        `In ${folder}. "svc hook uninstall" takes them away; docs/hook.md says what to configure.`,
      ]);
    });

const uninstall = () =>
  new Command('uninstall')
    .description('take the hooks away and put back what was there before')
    .option('--json', 'print one JSON object')
    .action(async (options: OutputOptions) => {
      const { uninstallHooks } = await import('./hook/hook-install.js');
      const { folder, hooks } = uninstallHooks();
      print(options, { folder, hooks }, () => hooks.map(({ name, outcome }) => `${name}: ${outcome}`));
    });

const run = () =>
  new Command('run')
    .description('check what a commit or a push touches; git calls it, by the hooks')
    .argument('<hook>', `of ${HOOKS.join(', ')}`, readHook)
    .argument('[remote]', 'of a push: the name of the remote, as git gives it')
    .argument('[address]', 'of a push: its address')
    .option('--url <url>', 'the memory daemon; else svc.url of git config')
    .option('--token-file <file>', 'a file with a token; else SVC_HOOK_TOKEN, else svc.tokenFile')
    .option('--passport <id>', 'who commits; else svc.passport, else that of the token')
    .option('--tenant <tenant>', 'the tenant; else svc.tenant, else that of the token')
    .option('--repo <owner/repo>', 'this repository; else svc.repo, else any')
    .addOption(new Option('--mode <mode>', 'else svc.mode, else what the server does').choices(HOOK_MODES))
    .option('--timeout <seconds>', 'how long the server may take; else svc.timeout, else 3')
    .action(async (hook: HookName, remote: string | undefined, _address: string | undefined, options: HookOptions) => {
      const { runHook } = await import('./hook/hook-run.js');
      process.exitCode = await runHook(hook, remote, options);
    });

function readHook(text: string): HookName {
  const found = HOOKS.find((name) => name === text);
  if (!found) throw new InvalidArgumentError(`Allowed choices are ${HOOKS.join(', ')}.`);
  return found;
}
