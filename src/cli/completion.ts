import { Argument, Command } from 'commander';
import { commandsOf } from './completion/command-tree.js';
import { SHELLS, scriptFor, type Shell } from './completion/shell-scripts.js';

/**
 * `svc completion bash`: what the shell reads to complete verbs, options and their choices. The script knows all of
 * them, so that the shell starts no process at a key.
 * @param loadVerbs all commands below svc
 */
export const completionCommand = (loadVerbs: () => Promise<Command>): Command =>
  new Command('completion')
    .description('print the script by which a shell completes the words of svc: docs/operations.md, "Completion"')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      process.stdout.write(scriptFor(shell, commandsOf(await loadVerbs())));
    });
