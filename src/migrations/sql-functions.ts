import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DataSource } from 'typeorm';
import { sha256 } from '../evidence/sha256.js';

/** One file of `functions/`: a `create or replace function` statement. */
export interface SqlFunction {
  name: string;
  sql: string;
  /** SHA-256 of the text. */
  digest: Buffer;
}

const FOLDER = join(import.meta.dirname, 'functions');

/** Every SQL function as this program needs it. Files are named like their functions. */
export function readFunctions(): SqlFunction[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      // The same text on every platform, whatever line ends a checkout made.
      const sql = readFileSync(join(FOLDER, file), 'utf8').replaceAll('\r\n', '\n');
      return { name: basename(file, '.sql'), sql, digest: sha256(sql) };
    });
}

/**
 * Applies the files whose digest is not the recorded one, in one transaction, and records them; all of them when
 * migrations ran, for one may have made or altered a function.
 * @returns the names of those that changed; none when nothing was recorded before
 * @throws QueryFailedError when PostgreSQL refuses a file: nothing is applied then
 */
export function applyFunctions(dataSource: DataSource, { hasMigrated }: { hasMigrated: boolean }): Promise<string[]> {
  const functions = readFunctions();
  return dataSource.transaction(async (manager) => {
    const rows = await manager.query<{ name: string; digest: Buffer }[]>('select name, digest from sql_function');
    const recorded = new Map(rows.map(({ name, digest }) => [name, digest]));
    const changed = functions.filter(({ name, digest }) => !recorded.get(name)?.equals(digest));
    for (const { sql } of hasMigrated ? functions : changed) await manager.query(sql);
    await manager.query(RECORD, [changed.map(({ name }) => name), changed.map(({ digest }) => digest)]);
    await manager.query('delete from sql_function where name <> all($1)', [functions.map(({ name }) => name)]);
    return recorded.size > 0 ? changed.map(({ name }) => name) : [];
  });
}

const RECORD = `
  insert into sql_function (name, digest) select * from unnest($1::text[], $2::bytea[])
  on conflict (name) do update set digest = excluded.digest, applied_at = excluded.applied_at`;
