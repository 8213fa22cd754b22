import { createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Command } from 'commander';
import { Client, type DatabaseError } from 'pg';
import type { Query } from '../common/tenancy/cross-tenant.js';
import { ErasureList } from '../common/erasures/erasure-list.js';
import { eraseAgain } from '../modules/governance/erasure/kept-erasures.js';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { migrate } from '../common/database/run-migrations.js';
import { openDatabase } from '../common/database/open.js';
import { MIGRATIONS } from '../migrations/index.js';
import { withBareTables } from './archive/bare-tables.js';
import { copyIn } from './archive/copy.js';
import { deleteAgain } from './archive/erased-tenants.js';
import { DIGESTS, Digests, FILES, KEYS, readHeader, tablePrefix, type BackupHeader } from './archive/format.js';
import { expectNoKeys, placeKeys, readPassphrase } from './archive/key-archive.js';
import {
  type CheckpointOptions,
  describeNextEpoch,
  enterNextEpoch,
  findCheckpoints,
  type KnownCheckpoints,
  type NextEpoch,
} from './archive/next-epoch.js';
import {
  describeTables,
  listTables,
  PORTABLE_TEXT,
  sqlColumns,
  sqlName,
  type BackupTable,
  type TableToLoad,
} from './archive/tables.js';
import { unpackEntries, type TarEntry } from './archive/tar.js';
import { print, report, UsageError, UserError, type OutputOptions } from './output.js';

export const restoreCommand = (): Command =>
  new Command('restore')
    .description(
      'read a backup into an empty database and data directory; nothing is changed unless all of it is sound',
    )
    .argument('<file>', 'a file made by svc backup')
    .option(
      '--checkpoint <file or URL>',
      'the newest checkpoint of the log that was backed up, which the next epoch of the log names',
    )
    .option('--without-checkpoint', 'say that there is none newer than the backup, or that nobody has one')
    .option('--without-erasures', 'say that nothing was erased since the backup, or that the list of erasures is lost')
    .option('--passphrase-file <file>', 'holds the passphrase of the signing keys in the backup')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: RestoreOptions) => {
      const { passphraseFile } = options;
      const passphrase = passphraseFile === undefined ? undefined : readPassphrase(passphraseFile);
      const { header, log, keys, erasures, tenants } = await restore(loadSettings(), file, { ...options, passphrase });
      const { created_at, tables } = header;
      const shown = { file, created_at, tables: tables.length, log: log ?? null, keys: keys.file, erasures };
      print(options, { ...shown, deleted_tenants: tenants }, () => [
        `Restored the state of ${created_at}: ${tables.length} tables. "svc doctor" checks it, "svc start" runs it.`,
        describeNextEpoch(log),
        describeKeys(keys),
        ...(erasures === 0 ? [] : [`${erasures} erasure(s) were done again, before anything is served.`]),
        ...(tenants.length === 0
          ? []
          : [`Erased since, and deleted again: ${tenants.join(', ')}. Their rows go when the API starts.`]),
      ]);
    });

interface RestoreOptions extends OutputOptions, CheckpointOptions {
  withoutErasures?: boolean;
  passphraseFile?: string;
}

/** What became of the signing keys: where they are now, or whether the backup has them at all. */
interface RestoredKeys {
  file: string | null;
  wereThere: boolean;
}

function describeKeys({ file, wereThere }: RestoredKeys): string {
  if (file !== null) return `The signing keys are in ${file}.`;
  const other = wereThere
    ? 'The signing keys of the backup were left out: no --passphrase-file was given'
    : 'The backup has no signing keys';
  return `${other}. Put the key file in its place before the start; docs/keys.md says what to do where it is lost.`;
}

interface Loaded {
  /** Subjects that were erased after the backup was made, and are erased again. */
  erasures: number;
  /** Those that were erased after the backup was made, and are deleted again. */
  tenants: string[];
  /** Missing where the backup has no log. */
  log: NextEpoch | undefined;
  keys: RestoredKeys;
}

async function restore(
  settings: Settings,
  file: string,
  options: RestoreOptions & { passphrase: string | undefined },
): Promise<Loaded & { header: BackupHeader }> {
  const archive = new ArchiveReader(unpackEntries(readCompressed(file)));
  const header = readHeader(await archive.next());
  refuseOtherSchema(header);
  const checkpoints = await findCheckpoints(options, settings);
  const kept = findErasures(settings, options.withoutErasures === true);
  const { passphrase } = options;
  if (passphrase !== undefined) expectNoKeys(settings);
  const database = await openDatabase(settings, () => undefined, { bulkLoad: true });
  const { ownerUrl } = database.address;
  if (!ownerUrl) throw new UserError('Restoring takes the owner of the database: set SVC_DATABASE_URL');
  const client = new Client(ownerUrl);
  try {
    await migrate(database.address);
    await client.connect();
    await client.query(`${PORTABLE_TEXT}; set lock_timeout = '5s'`);
    await client.query('begin');
    const loaded = await load(client, archive, header, { checkpoints, kept, settings, passphrase });
    return { header, ...loaded };
  } finally {
    await client.end();
    await database.close();
  }
}

/** @throws UsageError where there is no list and nobody said that it is so */
function findErasures(settings: Settings, isWithout: boolean): KeptErasures {
  const list = new ErasureList(settings);
  if (isWithout) return { subjects: [], tenants: [] };
  if (!list.exists())
    throw new UsageError(
      `There is no list of erasures in ${list.place}: what was erased after the backup would come back. Set SVC_CHECKPOINT_DIR to the folder where the server ` +
        'kept its own, or copy its folder "erasures" there. Where nothing was erased since, or nobody has the list, say so with --without-erasures',
    );
  return list.read();
}

async function* readCompressed(file: string): AsyncGenerator<Buffer> {
  const content = createGunzip();
  pipeline(createReadStream(file), content).catch(() => undefined); // its reader gets the same error
  try {
    yield* content as AsyncIterable<Buffer>;
  } catch (error) {
    throw explainRead(file, error as NodeJS.ErrnoException);
  }
}

/** Codes of zlib.h: what is no gzip is no backup, and what ends within it was cut off. */
function explainRead(file: string, error: NodeJS.ErrnoException): Error {
  const { code, message } = error;
  if (code === 'EISDIR') return new UserError(`${file} is a folder; name a file that "svc backup" made`);
  if (code === 'Z_BUF_ERROR') return new UserError(`${file} is damaged: it ends early. Restore another backup.`);
  if (!code?.startsWith('Z_')) return error;
  return new UserError(`${file} is damaged, or no backup made by "svc backup" (${message})`);
}

function refuseOtherSchema({ migrations, version }: BackupHeader): void {
  const own = new Set(MIGRATIONS.map((migration) => new migration().name));
  // Not by their order: a database runs those that it lacks, also one that another branch brought later.
  if (migrations.length !== own.size || !migrations.every((name) => own.has(name)))
    throw new UserError(
      `The backup is of version ${version}, with another schema. Restore it with that version, then upgrade.`,
    );
}

/**
 * In the open transaction, which ends with it. Files come last but before the commit: either both are there or neither.
 */
async function load(
  client: Client,
  archive: ArchiveReader,
  header: BackupHeader,
  { checkpoints, kept, settings, passphrase }: Known,
): Promise<Loaded> {
  const placed: string[] = [];
  try {
    await checkTables(client, header);
    await loadTables(client, archive, header.tables);
    await advanceFences(client);
    const log = await enterNextEpoch(client, checkpoints);
    const erased = await applyErasures(client, kept);
    await placeFiles(archive, settings.process.dataDir, placed);
    const keys = await takeKeys(archive, settings, passphrase);
    if (keys.file) placed.push(keys.file);
    await archive.finish();
    await client.query('commit');
    return { log, keys, ...erased };
  } catch (error) {
    for (const path of placed) rmSync(path, { force: true });
    throw error;
  }
}

type KeptErasures = ReturnType<ErasureList['read']>;

/** What is known apart from the backup. */
interface Known {
  checkpoints: KnownCheckpoints;
  kept: KeptErasures;
  settings: Settings;
  passphrase: string | undefined;
}

/** The triggers that keep what a legal hold pins hold here as well, but for holds that an erasure proves released. */
async function applyErasures(
  client: Client,
  { subjects, tenants }: KeptErasures,
): Promise<Pick<Loaded, 'erasures' | 'tenants'>> {
  const query: Query = async <Row>(sql: string, parameters: unknown[] = []) =>
    (await client.query(sql, parameters)).rows as Row[];
  await client.query('set local statement_timeout = 0');
  return { tenants: await deleteAgain(query, tenants), erasures: await eraseAgain(query, subjects) };
}

async function checkTables(client: Client, header: BackupHeader): Promise<void> {
  const own = await listTables(client);
  if (JSON.stringify(own) !== JSON.stringify(header.tables))
    throw new UserError('The tables differ from those of the backup');
  // Before tables are locked: a server that runs on this database would wait for them, and they for it.
  for (const { name } of header.tables) await expectEmpty(client, name);
}

/** @throws UserError */
async function expectEmpty(client: Client, table: string): Promise<void> {
  const { rowCount } = await client.query(`select from ${sqlName(client, table)} limit 1`);
  if (rowCount) throw new UserError(`The database is not empty: ${table} has rows. Restore into a new one.`);
}

async function loadTables(client: Client, archive: ArchiveReader, backedUp: BackupTable[]): Promise<void> {
  const tables = await describeTables(client, backedUp);
  try {
    await withBareTables(client, tables, async () => {
      for (const table of tables) await loadTable(client, archive, table);
      // Or events would be delivered as new once the transactions of this database have come to theirs.
      await client.query('select svc_rebase_events()');
    });
  } catch (error) {
    throw explainRows(error as DatabaseError);
  }
}

/** Triggers do not act on the rows. */
async function loadTable(client: Client, archive: ArchiveReader, table: TableToLoad): Promise<void> {
  const name = sqlName(client, table.name);
  await expectEmpty(client, table.name);
  await client.query(`alter table ${name} disable trigger user`);
  // A plain table gets a new file. Its rows need no log where wal_level is minimal, and no later pass that marks them
  // as committed (PostgreSQL 18, "Populating a Database", and COPY, FREEZE).
  if (table.isPlain) await client.query(`truncate ${name}`);
  report(table.name);
  try {
    await copyIn(
      client,
      `copy ${name} (${sqlColumns(client, table)}) from stdin${table.isPlain ? ' with (freeze)' : ''}`,
      archive.partsOf(tablePrefix(table.name)),
    );
  } catch (error) {
    throw explainRows(error as DatabaseError, table.name);
  }
  await client.query(`alter table ${name} enable trigger user`);
  for (const trigger of table.triggersAlways)
    await client.query(`alter table ${name} enable always trigger ${trigger}`);
  // Numbers that the database gives out go on after the highest restored one.
  for (const { column, sequence } of table.sequences)
    await client.query(`select setval($1, max(${column})) from ${name} having count(*) > 0`, [sequence]);
}

/**
 * SQLSTATE classes of values that cannot be read (22) and of rows that break a rule (23): PostgreSQL 18, appendix A.
 */
function explainRows(error: DatabaseError, table = error.table): Error {
  if (!/^2[23]...$/.test(error.code ?? '')) return error;
  return new UserError(`the backup is damaged: the rows of ${table} cannot be stored (${error.message})`);
}

/**
 * Fences that were given out after the backup was made are never given to another: whoever still has one is refused.
 * By the clock as well, in milliseconds, since the same backup may be restored again after more were given out.
 */
async function advanceFences(client: Client): Promise<void> {
  await client.query(
    `select setval('lease_fence', greatest(last_value + 1000000000, (extract(epoch from clock_timestamp()) * 1000)::bigint))
     from lease_fence`,
  );
}

/** Adds to `placed` what it made, so that the caller can undo it. */
async function placeFiles(archive: ArchiveReader, dataDir: string, placed: string[]): Promise<void> {
  for await (const { name, content } of archive.entriesOf(FILES)) {
    const path = join(dataDir, normalize(`/${name.slice(FILES.length)}`));
    if (existsSync(path)) throw new UserError(`${path} exists already. Restore into a new data directory.`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600, flag: 'wx', flush: true });
    placed.push(path);
  }
}

async function takeKeys(archive: ArchiveReader, settings: Settings, passphrase?: string): Promise<RestoredKeys> {
  const found: RestoredKeys = { file: null, wereThere: false };
  for await (const entry of archive.entriesOf(KEYS)) {
    found.wereThere = true;
    if (passphrase !== undefined) found.file = await placeKeys(settings, entry, passphrase);
  }
  if (passphrase !== undefined && !found.wereThere)
    throw new UserError('The backup has no signing keys: restore it without --passphrase-file');
  return found;
}

/** The entries of a backup in their order, every one digested on its way. */
class ArchiveReader {
  private readonly digests = new Digests();
  private waiting?: TarEntry;

  constructor(private readonly entries: AsyncGenerator<TarEntry, void>) {}

  async next(): Promise<TarEntry> {
    const entry = await this.peek();
    this.waiting = undefined;
    if (entry.name !== DIGESTS) this.digests.add(entry);
    return entry;
  }

  /** The entries from here on whose names begin so. */
  async *entriesOf(prefix: string): AsyncGenerator<TarEntry> {
    while ((await this.peek()).name.startsWith(prefix)) yield await this.next();
  }

  async *partsOf(prefix: string): AsyncGenerator<Buffer> {
    for await (const { content } of this.entriesOf(prefix)) yield content;
  }

  /** To the end of the file. @throws UserError when anything differs from what was written, or something is left */
  async finish(): Promise<void> {
    const last = await this.next();
    if (last.name !== DIGESTS) throw new UserError(`the backup is damaged: unexpected ${last.name}`);
    this.digests.compare(last);
    const more = await this.entries.next();
    if (!more.done) throw new UserError(`the backup is damaged: ${more.value.name} stands after its end`);
  }

  private async peek(): Promise<TarEntry> {
    if (this.waiting) return this.waiting;
    const read = await this.entries.next();
    if (read.done) throw new UserError('the backup is damaged: it ends early');
    return (this.waiting = read.value);
  }
}
