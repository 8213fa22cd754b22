import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { ApiClient } from '../common/client/api-client.js';
import { loadSettings } from '../common/config/settings.js';
import { LANGUAGES } from '../search/languages.js';
import { FolderSource } from './ingest/folder-source.js';
import { IngestRounds } from './ingest/ingest-round.js';
import type { IngestReport, LeftOut, Source } from './ingest/sources.types.js';
import { WebClient } from './ingest/web-client.js';
import { print, report, table, UsageError, UserError, type Line, type OutputOptions } from './output.js';
import { progressBar, type Progress } from './progress-output.js';
import { serverOf, withServerOptions, type ServerOptions } from './server-address.js';

const MIB = 1024 * 1024;
/** Names that the question before a deletion shows. */
const SHOWN = 5;
const SHOWN_REASONS = 10;

interface IngestOptions extends OutputOptions, ServerOptions {
  corpus: string;
  baseUrl?: string;
  prefix?: string;
  shareability?: string;
  language?: string;
  maxSize: number;
  replace?: true;
  prune?: true;
  yes?: true;
  watch?: true;
  dryRun?: true;
  verbose?: true;
}

/** `svc ingest`: folders, files and web pages into a corpus, over the API. */
export const ingestCommand = (): Command =>
  withServerOptions(
    new Command('ingest')
      .description('bring folders, files and web pages into a corpus; a second run sends only what changed')
      .argument('<path or URL...>', 'folders, files, quoted patterns such as "docs/**/*.md", or web addresses')
      .requiredOption('--corpus <corpus>', 'the corpus; it is made when it is new'),
  )
    .option('--base-url <url>', 'where the files can be read: their addresses begin with it (default: file:///...)')
    .option('--prefix <text>', 'put before every docId')
    .addOption(
      new Option('--shareability <who>', 'who finds it').choices(['owner_only', 'entitled_only', 'public_safe']),
    )
    .addOption(new Option('--language <language>', 'the language of a new corpus').choices(LANGUAGES))
    .option('--max-size <MiB>', 'leave larger files out', readSize, 32)
    .option('--replace', 'take over documents of the same name that came from elsewhere')
    .option('--prune', 'delete documents that came from here and are no longer here; asks before')
    .option('--yes', 'do not ask before a deletion')
    .option('--watch', 'go on, and bring in each change of the folders, until Ctrl-C')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--verbose', 'name everything that was left out, and why')
    .option('--json', 'print one JSON object; with --watch one a pass')
    .action(async (named: string[], options: IngestOptions) => {
      checkOptions(named, options);
      const settings = loadSettings();
      const address = await serverOf(settings, options);
      const web = new WebClient({
        hosts: settings.ingest.urlHosts,
        isPrivateAllowed: settings.ingest.allowPrivateUrls,
        maxBytes: options.maxSize * MIB,
      });
      try {
        await ingest(new ApiClient(address), await sourcesOf(named, options, web), options);
      } finally {
        await web.close();
      }
    });

async function ingest(client: ApiClient, sources: Source[], options: IngestOptions): Promise<void> {
  const { corpus, shareability, language } = options;
  const rounds = new IngestRounds(client, {
    corpus,
    sources,
    isDry: options.dryRun === true,
    replaces: options.replace === true,
    ...(options.prune ? { prune: (docIds, root) => mayDelete(docIds, root, options) } : {}),
    ...(shareability === undefined ? {} : { shareability }),
    ...(language === undefined ? {} : { language }),
  });
  const run = async (isAgain: boolean): Promise<void> => {
    const done = await rounds.run(isAgain ? noBar : progressBar);
    if (isAgain && done.sent.length + done.deleted.length + done.failed.length === 0) return;
    printReport(done, options);
    process.exitCode = done.failed.length > 0 ? 1 : 0;
  };
  if (!options.watch) return run(false);
  const { watchFolders } = await import('./ingest/watch-folders.js');
  const folders = sources.filter((source) => source instanceof FolderSource).map(({ folder }) => folder);
  await watchFolders(folders, (isAgain) => (isAgain ? run(true).catch(goOn) : run(false)));
  process.exitCode = 0;
}

const noBar = (): Progress => ({ update: () => undefined, stop: () => undefined });

/** A server that is away for a moment ends no watch: the next change is compared with what it has then. */
function goOn(error: unknown): void {
  if (!(error instanceof UserError)) throw error;
  report(`svc: ${error.message}`);
}

/** @throws UsageError */
function checkOptions(named: readonly string[], options: IngestOptions): void {
  const { baseUrl, prune, yes, watch, dryRun, json } = options;
  if (watch && (dryRun || named.some(isWebAddress)))
    throw new UsageError('--watch follows folders and files: neither web addresses nor --dry-run go with it');
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && baseUrl.endsWith('/')))
    throw new UsageError('--base-url takes an address with a slash at its end, such as https://example.com/docs/');
  const canAsk = process.stdin.isTTY && !json && !watch;
  if (prune && !yes && !dryRun && !canAsk)
    throw new UsageError('Nobody can be asked here before --prune deletes. If it is meant, add --yes');
}

const isWebAddress = (named: string): boolean => /^https?:\/\//i.test(named);

async function sourcesOf(named: readonly string[], options: IngestOptions, web: WebClient): Promise<Source[]> {
  if (named.some((name) => name.trim() === '')) throw new UsageError('An empty name is no file, folder or address');
  const { baseUrl, prefix, maxSize } = options;
  const shared = prefix === undefined ? {} : { prefix };
  const folder = { ...shared, maxBytes: maxSize * MIB, ...(baseUrl === undefined ? {} : { baseUrl }) };
  const sources: Source[] = [];
  for (const one of named) {
    if (!isWebAddress(one)) sources.push(FolderSource.open(one, folder));
    else {
      const { WebSource } = await import('./ingest/web-source.js');
      if (!URL.canParse(one)) throw new UsageError(`${one} is no web address`);
      sources.push(new WebSource(one, web, shared));
    }
  }
  return sources;
}

async function mayDelete(docIds: readonly string[], root: string, { yes, corpus }: IngestOptions): Promise<boolean> {
  if (yes) return true;
  const more = docIds.length > SHOWN ? `, and ${docIds.length - SHOWN} more` : '';
  report(`No longer in ${root}: ${docIds.slice(0, SHOWN).join(', ')}${more}`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D are a no.
    const question = `Delete ${docIds.length} documents from the corpus ${corpus}? [y/N] `;
    const typed = await lines.question(question).catch(() => '');
    return /^y(es)?$/i.test(typed.trim());
  } finally {
    lines.close();
  }
}

function printReport(done: IngestReport, options: IngestOptions): void {
  const { corpus, sent, unchanged, deleted, failed, leftOut } = done;
  const named = ({ name, reason }: LeftOut): { name: string; reason: string } => ({ name, reason });
  const value = {
    ok: failed.length === 0,
    dry_run: options.dryRun === true,
    corpus,
    sent,
    unchanged,
    deleted,
    failed: failed.map(named),
    left_out: leftOut.map(named),
  };
  print(options, value, () => linesOf(done, options));
}

function linesOf({ corpus, sent, unchanged, deleted, failed, leftOut }: IngestReport, options: IngestOptions): Line[] {
  const would = options.dryRun ? 'would be ' : '';
  const counts = [
    `${sent.length} ${would}sent`,
    `${unchanged} unchanged`,
    ...(options.prune ? [`${deleted.length} ${would}deleted`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    `${leftOut.length} left out`,
  ];
  const all = [...Map.groupBy(leftOut, ({ reason }) => reason)].map(([reason, of]) => `${of.length} ${reason}`);
  const reasons = all.length > SHOWN_REASONS ? [...all.slice(0, SHOWN_REASONS), 'others (--verbose)'] : all;
  const rowsOf = (list: readonly LeftOut[]): string[][] => list.map(({ name, reason }) => [name, reason]);
  return [
    `${corpus}: ${counts.join(', ')}`,
    ...(reasons.length > 0 ? [`Left out: ${reasons.join('; ')}`] : []),
    ...(failed.length > 0 ? table(['FAILED', 'REASON'], rowsOf(failed)) : []),
    ...(options.verbose && sent.length > 0
      ? table(
          [options.dryRun ? 'WOULD BE SENT' : 'SENT'],
          sent.map((id) => [id]),
        )
      : []),
    ...(options.verbose && leftOut.length > 0 ? table(['LEFT OUT', 'REASON'], rowsOf(leftOut)) : []),
  ];
}

function readSize(text: string): number {
  const size = Number(text);
  if (size > 0 && size <= 1024) return size;
  throw new InvalidArgumentError('Give a number of MiB, up to 1024.');
}
