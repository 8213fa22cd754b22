import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import type { Client } from 'pg';
import { readBuild } from '../common/build-info.js';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { withConnection } from '../common/database/connection.js';
import { openDatabase } from '../common/database/open.js';
import { refuseNewerSchema } from '../common/database/schema-version.js';
import { hasSigner, placeOfKeys } from '../common/evidence-log/own-keys.js';
import { copyOut } from './archive/copy.js';
import { BACKUP_FORMAT, Digests, FILES, HEADER, tablePrefix, type BackupHeader } from './archive/format.js';
import { gzipMembers } from './archive/gzip.js';
import { firstKeyEntry, keysEntry, readPassphrase } from './archive/key-archive.js';
import { listHalfVisible, listTables, PORTABLE_TEXT, sqlColumns, sqlName, type BackupTable } from './archive/tables.js';
import { packEntries, type TarEntry } from './archive/tar.js';
import { print, report, UsageError, UserError, type OutputOptions } from './output.js';
import { checkIsFree, writeWhole } from './whole-file.js';

/** A table's data is cut into entries of about this size: neither writing nor reading holds more. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Of the data directory. */
const CREDENTIALS = 'credentials.json';

interface Options extends OutputOptions {
  withKeys?: boolean;
  passphraseFile?: string;
}

export const backupCommand = (): Command =>
  new Command('backup')
    .description(
      'write database and credentials to one file, as of one moment, while svc runs; the file holds secrets, and the private signing keys only when asked',
    )
    .argument('<file>', 'the file to make, by custom *.tar.gz')
    .option('--with-keys', 'add the private signing keys, encrypted by the passphrase')
    .option('--passphrase-file <file>', 'holds the passphrase for --with-keys')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: Options) => {
      const passphrase = passphraseOf(options);
      checkIsFree(file);
      const settings = loadSettings();
      const tables = await writeBackup(settings, file, passphrase);
      const bytes = statSync(file).size;
      print(options, { file, bytes, tables, keys: passphrase !== undefined }, () => [
        `Wrote ${file}: ${tables} tables, ${bytes} bytes. Keep it secret.`,
        passphrase === undefined
          ? describeKeys(settings)
          : 'It has the signing keys, encrypted: keep the passphrase elsewhere.',
      ]);
    });

const describeKeys = (settings: Settings): string =>
  hasSigner(settings)
    ? `It has no signing keys: they are with ${placeOfKeys(settings)}.`
    : `It has no signing keys: keep ${placeOfKeys(settings)} elsewhere, or use --with-keys.`;

function passphraseOf({ withKeys, passphraseFile }: Options): string | undefined {
  if ((withKeys ?? false) !== (passphraseFile !== undefined))
    throw new UsageError('--with-keys and --passphrase-file go together: private keys are never written in the clear');
  return passphraseFile === undefined ? undefined : readPassphrase(passphraseFile);
}

async function writeBackup(settings: Settings, file: string, passphrase: string | undefined): Promise<number> {
  const database = await openDatabase(settings, () => undefined);
  try {
    return await withConnection(
      database.address,
      'svc_operator',
      (client) => pack(client, settings, { file, passphrase }),
      { settings },
    );
  } finally {
    await database.close();
  }
}

/** @returns how many tables there are */
async function pack(
  client: Client,
  settings: Settings,
  { file, passphrase }: { file: string; passphrase: string | undefined },
): Promise<number> {
  await client.query(PORTABLE_TEXT);
  await client.query('begin isolation level repeatable read read only');
  const header = await makeHeader(client);
  const entries = withDigests(allEntries(client, header, filesOf(settings, passphrase)));
  await writeWhole(file, (made) =>
    pipeline(gzipMembers(packEntries(entries)), made.createWriteStream({ flush: true })),
  );
  return header.tables.length;
}

async function makeHeader(client: Client): Promise<BackupHeader> {
  const hidden = await listHalfVisible(client);
  if (hidden.length > 0)
    throw new UserError(`svc_operator may not see every row of ${hidden.join(', ')}; see svc doctor`);
  await refuseNewerSchema(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows);
  const { rows } = await client.query<{ name: string }>('select name from migration order by id');
  return {
    format: BACKUP_FORMAT,
    version: readBuild().version,
    created_at: new Date().toISOString(),
    migrations: rows.map(({ name }) => name),
    tables: await listTables(client),
  };
}

async function* withDigests(entries: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  const digests = new Digests();
  for await (const entry of entries) {
    digests.add(entry);
    yield entry;
  }
  yield digests.entry();
}

async function* allEntries(
  client: Client,
  header: BackupHeader,
  files: AsyncGenerator<TarEntry>,
): AsyncGenerator<TarEntry> {
  yield { name: HEADER, content: Buffer.from(JSON.stringify(header, null, 1)) };
  for (const table of header.tables) {
    report(table.name);
    yield* tableEntries(client, table);
  }
  yield* files;
}

async function* tableEntries(client: Client, table: BackupTable): AsyncGenerator<TarEntry> {
  const select = `select ${sqlColumns(client, table)} from ${sqlName(client, table.name)}`;
  let held: Buffer[] = [];
  let size = 0;
  let count = 0;
  const piece = (): TarEntry => {
    const content = Buffer.concat(held);
    [held, size, count] = [[], 0, count + 1];
    return { name: `${tablePrefix(table.name)}${String(count).padStart(8, '0')}`, content };
  };
  for await (const chunk of copyOut(client, `copy (${select}) to stdout`)) {
    held.push(chunk);
    size += chunk.length;
    if (size >= PIECE_BYTES) yield piece();
  }
  if (size > 0) yield piece();
}

async function* filesOf(settings: Settings, passphrase: string | undefined): AsyncGenerator<TarEntry> {
  const credentials = join(settings.process.dataDir, CREDENTIALS);
  if (existsSync(credentials)) yield { name: FILES + CREDENTIALS, content: readFileSync(credentials) };
  yield* firstKeyEntry(settings);
  if (passphrase !== undefined) yield await keysEntry(settings, passphrase);
}
