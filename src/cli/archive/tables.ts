import type { Client } from 'pg';
import { JOBS_SCHEMA } from '../../common/jobs/jobs.js';

/** A table as it stands in a backup. */
export interface BackupTable {
  /** Schema and name, `public.chunk`. */
  readonly name: string;
  /** Without generated columns. */
  readonly columns: string[];
}

/**
 * The tables of a backup, each after those it refers to: everything in schema public but the records of migrations and
 * SQL functions, and the jobs.
 * What else the job library keeps is created again by a migration.
 */
export async function listTables(client: Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { refers_to: string[] }>(TABLES, [JOBS_SCHEMA]);
  const sorted: BackupTable[] = [];
  const place = (name: string, path: string[]): void => {
    const table = rows.find((row) => row.name === name);
    if (!table || path.includes(name) || sorted.some((done) => done.name === name)) return;
    for (const other of table.refers_to) place(other, [...path, name]);
    sorted.push({ name, columns: table.columns });
  };
  for (const { name } of rows) place(name, []);
  return sorted;
}

const TABLES = `
  select n.nspname || '.' || c.relname as name,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    array(select fn.nspname || '.' || f.relname from pg_constraint k
      join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as refers_to
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and (n.nspname = 'public' and c.relname not in ('migration', 'sql_function', 'schema_compatibility') or n.nspname = $1 and c.relname = 'job')
  order by 1`;

/** A table with what a restore of its rows has to keep. */
export interface TableToLoad extends BackupTable {
  /** A table of ours in one piece, which may be truncated. */
  readonly isPlain: boolean;
  /**
   * Triggers that act for a replica as well, such as those of legal holds, as SQL: "enable trigger user" forgets that.
   */
  readonly triggersAlways: string[];
  /** Columns that are numbered by a sequence, as SQL. */
  readonly sequences: { column: string; sequence: string }[];
}

export async function describeTables(client: Client, tables: BackupTable[]): Promise<TableToLoad[]> {
  const { rows } = await client.query<Omit<TableToLoad, 'columns'>>(DETAILS, [tables.map(({ name }) => name)]);
  const details = new Map(rows.map((row) => [row.name, row]));
  return tables.map((table) => ({ ...details.get(table.name)!, ...table }));
}

const DETAILS = `
  select n.nspname || '.' || c.relname as name, c.relkind = 'r' and n.nspname = 'public' as "isPlain",
    array(select quote_ident(t.tgname) from pg_trigger t
      where t.tgrelid = c.oid and t.tgenabled = 'A' and not t.tgisinternal order by 1) as "triggersAlways",
    coalesce((select json_agg(json_build_object('column', quote_ident(a.attname), 'sequence', s)) from pg_attribute a,
      pg_get_serial_sequence(c.oid::regclass::text, a.attname) s
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and s is not null), '[]') as sequences
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname || '.' || c.relname = any ($1)`;

/**
 * Tables of which the connected role cannot be sure to see every row: a backup of them would lack some without a word.
 */
export async function listHalfVisible(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(HALF_VISIBLE);
  return rows.map(({ name }) => name);
}

const HALF_VISIBLE = `
  select c.relname as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relrowsecurity and not exists (
    select from pg_policy p where p.polrelid = c.oid and p.polcmd in ('r', '*') and p.polpermissive
      and pg_get_expr(p.polqual, p.polrelid) = 'true'
      and (0::oid = any (p.polroles) or exists (select from unnest(p.polroles) r where pg_has_role(current_user, r, 'usage'))))
  order by 1`;

/** `public.chunk` as the server wants it written. */
export const sqlName = (client: Client, name: string): string =>
  name
    .split('.')
    .map((part) => client.escapeIdentifier(part))
    .join('.');

export const sqlColumns = (client: Client, { columns }: BackupTable): string =>
  columns.map((column) => client.escapeIdentifier(column)).join(', ');

/** Text forms that mean the same whatever the server's configuration. */
export const PORTABLE_TEXT = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set statement_timeout = 0; set client_encoding = 'UTF8'`;
