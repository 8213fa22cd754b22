import { createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Command } from 'commander';
import { Client } from 'pg';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { migrate } from '../common/database/migrate.js';
import { openDatabase } from '../common/database/open.js';
import { MIGRATIONS } from '../migrations/index.js';
import { copyIn } from './archive/copy.js';
import { DIGESTS, Digests, FILES, readHeader, tablePrefix, type BackupHeader } from './archive/format.js';
import { listTables, PORTABLE_TEXT, sqlColumns, sqlName, type BackupTable } from './archive/tables.js';
import { unpackEntries, type TarEntry } from './archive/tar.js';
import { print, UserError, type OutputOptions } from './output.js';

export const restoreCommand = (): Command =>
  new Command('restore')
    .description(
      'read a backup into an empty database and data directory; nothing is changed unless all of it is sound',
    )
    .argument('<file>', 'a file made by svc backup')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: OutputOptions) => {
      const header = await restore(loadSettings(), file);
      const { created_at, tables } = header;
      print(options, { file, created_at, tables: tables.length }, () => [
        `Restored the state of ${created_at}: ${tables.length} tables. "svc doctor" checks it, "svc start" runs it.`,
      ]);
    });

async function restore(settings: Settings, file: string): Promise<BackupHeader> {
  const archive = new ArchiveReader(unpackEntries(readCompressed(file)));
  const header = readHeader(await archive.next());
  refuseOtherSchema(header);
  const database = await openDatabase(settings, () => undefined);
  const client = new Client(database.address.ownerUrl);
  try {
    await migrate(database.address);
    await client.connect();
    await client.query(`${PORTABLE_TEXT}; set lock_timeout = '5s'`);
    await client.query('begin');
    await load(client, archive, header, settings.process.dataDir);
    return header;
  } finally {
    await client.end();
    await database.close();
  }
}

function readCompressed(file: string): AsyncIterable<Buffer> {
  const content = createGunzip();
  pipeline(createReadStream(file), content).catch(() => undefined); // its reader gets the same error
  return content;
}

function refuseOtherSchema({ migrations, version }: BackupHeader): void {
  const own = MIGRATIONS.map((migration) => new migration().name);
  if (JSON.stringify(own) !== JSON.stringify(migrations))
    throw new UserError(
      `The backup is of version ${version}, with another schema. Restore it with that version, then upgrade.`,
    );
}

/** In the open transaction, which ends with it. Files come last but before the commit: either both are there or neither. */
async function load(client: Client, archive: ArchiveReader, header: BackupHeader, dataDir: string): Promise<void> {
  const placed: string[] = [];
  try {
    await checkTables(client, header);
    for (const table of header.tables) await loadTable(client, archive, table);
    await client.query(REBASE_EVENTS);
    await placeFiles(archive, dataDir, placed);
    await archive.finish();
    await client.query('commit');
  } catch (error) {
    for (const path of placed) rmSync(path, { force: true });
    throw error;
  }
}

async function checkTables(client: Client, header: BackupHeader): Promise<void> {
  const own = await listTables(client);
  if (JSON.stringify(own) !== JSON.stringify(header.tables))
    throw new UserError('The tables differ from those of the backup');
}

/** Forced row-level security and triggers stand aside for the owner within this transaction; references are checked as ever. */
async function loadTable(client: Client, archive: ArchiveReader, table: BackupTable): Promise<void> {
  const name = sqlName(client, table.name);
  const { rows } = await client.query<{ forced: boolean }>(
    'select relforcerowsecurity as forced from pg_class where oid = $1::regclass',
    [name],
  );
  await client.query(`alter table ${name} no force row level security`);
  const { rowCount } = await client.query(`select from ${name} limit 1`);
  if (rowCount) throw new UserError(`The database is not empty: ${table.name} has rows. Restore into a new one.`);
  await client.query(`alter table ${name} disable trigger user`);
  process.stderr.write(`${table.name}\n`);
  await copyIn(
    client,
    `copy ${name} (${sqlColumns(client, table)}) from stdin`,
    archive.partsOf(tablePrefix(table.name)),
  );
  await client.query('set constraints all immediate'); // a table with checks outstanding cannot be altered
  await client.query(`alter table ${name} enable trigger user`);
  if (rows[0]?.forced) await client.query(`alter table ${name} force row level security`);
  await advanceSequences(client, table);
}

/** Numbers that the database gives out go on after the highest restored one. */
async function advanceSequences(client: Client, table: BackupTable): Promise<void> {
  const name = sqlName(client, table.name);
  for (const column of table.columns) {
    const { rows } = await client.query<{ sequence: string | null }>(
      'select pg_get_serial_sequence($1, $2) as sequence',
      [name, column],
    );
    const sequence = rows[0]?.sequence;
    if (sequence)
      await client.query(
        `select setval($1, max(${client.escapeIdentifier(column)})) from ${name} having count(*) > 0`,
        [sequence],
      );
  }
}

/**
 * Events and those who read them bear transactions of the other database, which this one may have yet to come to: they all go below every new one, or they
 * would be told as new on the way there. What a reader had not come to is told from its place on.
 */
const REBASE_EVENTS = `set local role svc_operator;
  update outbox_cursor c set transaction = '3', position = coalesce((select min(e.position) - 1 from outbox_event e
    where (e.transaction, e.position) > (c.transaction, c.position)), 9223372036854775807);
  update outbox_event set transaction = '3';
  update watch set created_snapshot = null;
  update webhook_endpoint set created_snapshot = null;
  reset role`;

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

  /** @throws Error when anything read differs from what was written, or something is left */
  async finish(): Promise<void> {
    const last = await this.next();
    if (last.name !== DIGESTS) throw new Error(`the backup is damaged: unexpected ${last.name}`);
    this.digests.compare(last);
  }

  private async peek(): Promise<TarEntry> {
    if (this.waiting) return this.waiting;
    const read = await this.entries.next();
    if (read.done) throw new Error('the backup is damaged: it ends early');
    return (this.waiting = read.value);
  }
}
