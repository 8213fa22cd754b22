import { Command, CommanderError } from 'commander';
import { readBuild } from '../common/build-info.js';
import { fail, FAILED, MISUSED, printJson, visible } from './output.js';

/** A verb is loaded only when it is asked for: `svc verify` must not wait for a web framework. */
const VERBS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.js')).startCommand(),
  stdio: async () => (await import('./stdio.js')).stdioCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  backup: async () => (await import('./backup.js')).backupCommand(),
  restore: async () => (await import('./restore.js')).restoreCommand(),
  migrate: async () => (await import('./migrate.js')).migrateCommand(),
  tenant: async () => (await import('./tenant.js')).tenantCommand(),
  erase: async () => (await import('./erase.js')).eraseCommand(),
  mcp: async () => (await import('./mcp.js')).mcpCommand(),
  tools: async () => (await import('./tools.js')).toolsCommand(),
  key: async () => (await import('./key.js')).keyCommand(),
  'peer-log': async () => (await import('./peer-log.js')).peerLogCommand(),
  embeddings: async () => (await import('./embeddings.js')).embeddingsCommand(),
  memory: async () => (await import('./memory.js')).memoryCommand(),
  peer: async () => (await import('./peers.js')).peerCommand(),
  passport: async () => (await import('./passports.js')).passportCommand(),
  sync: async () => (await import('./sync.js')).syncCommand(),
  project: async () => (await import('./project.js')).projectCommand(),
  credits: async () => (await import('./credits.js')).creditsCommand(),
  feedback: async () => (await import('./feedback.js')).feedbackCommand(),
  survey: async () => (await import('./survey.js')).surveyCommand(),
  token: async () => (await import('./token.js')).tokenCommand(),
  export: async () => (await import('./export-receipt.js')).exportCommand(),
  verify: async () => (await import('./verify.js')).verifyCommand(),
  hook: async () => (await import('./hook.js')).hookCommand(),
  demo: async () => (await import('./demo.js')).demoCommand(),
  ingest: async () => (await import('./ingest-command.js')).ingestCommand(),
  search: async () => (await import('./search-command.js')).searchCommand(),
  answer: async () => (await import('./answer-command.js')).answerCommand(),
  completion: async () => (await import('./completion.js')).completionCommand(() => programOf(Object.keys(VERBS))),
};

/** What svc runs itself: no help names it. */
const HIDDEN: typeof VERBS = { prepare: async () => (await import('./prepare.js')).prepareCommand() };

/** svc with these of its verbs. */
export async function programOf(names: readonly string[]): Promise<Command> {
  const program = new Command('svc')
    .description('Provable memory for AI agents and their teams.')
    .version(readBuild().version);
  for (const name of names) program.addCommand(await (VERBS[name] ?? HIDDEN[name])!());
  return program;
}

/** Runs one verb of the svc command. */
export async function run(argv: string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', noteUnwritten);
  const asked = argv.slice(2).find((word) => !word.startsWith('-'));
  const names = asked && (VERBS[asked] ?? HIDDEN[asked]) ? [asked] : Object.keys(VERBS);
  const program = await programOf(names);
  for (const command of withSubcommands(program))
    command.exitOverride().configureOutput({ outputError: (text, write) => write(visible(text)) });
  const json = argv.includes('--json');
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) endUsage(error, json);
    // What it left open must not keep the process.
    else process.exit(await fail(error, json));
  }
}

let isUnwritten = false;

/**
 * A reader such as `head` may close the pipe early; the work still runs to its end. Of any other error the code of the
 * exit says.
 */
function noteUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || isUnwritten) return;
  isUnwritten = true;
  process.once('exit', () => (process.exitCode = FAILED));
  process.stderr.write(`svc: what it says cannot be written: ${error.message}\n`);
}

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

/** Help and version that were asked for are no failure; commander has printed all of it on stderr or stdout. */
function endUsage({ exitCode, message }: CommanderError, json: boolean): void {
  if (exitCode === 0) return;
  process.exitCode = MISUSED;
  if (json) printJson({ ok: false, error: message.replace(/^error: /, '') });
}
