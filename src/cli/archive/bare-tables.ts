import type { Client } from 'pg';
import { sqlName, type BackupTable } from './tables.js';

/**
 * Does `work` while the tables have no index, no key, no reference and no row-level security for their owner, and makes
 * all of it again, in the open transaction: an index over rows that are there is made in a fraction of the time that it
 * takes to grow with them, and a reference is checked for all rows by one join. The indexes of other schemas than
 * public stay.
 * @throws the error of PostgreSQL where the rows break a key (23505) or a reference (23503), with its table
 */
export async function withBareTables(client: Client, tables: BackupTable[], work: () => Promise<void>): Promise<void> {
  const { rows: constraints } = await client.query<Constraint>(CONSTRAINTS);
  const { rows: indexes } = await client.query<Index>(INDEXES);
  const references = constraints.filter(({ isReference }) => isReference);
  const keys = constraints.filter(({ isReference }) => !isReference);
  // A forced policy hides rows from the check of a reference, which then finds none that is wrong.
  await withoutForcedPolicies(client, tables, async () => {
    for (const { table, name } of [...references, ...keys])
      await client.query(`alter table ${table} drop constraint ${name}`);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await work();
    for (const { definition } of indexes) await client.query(definition);
    for (const { table, name, definition } of [...keys, ...references])
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  });
}

interface Constraint {
  table: string;
  name: string;
  definition: string;
  isReference: boolean;
}

interface Index {
  name: string;
  definition: string;
}

/** Keys, exclusions and references. */
const CONSTRAINTS = `
  select k.conrelid::regclass::text as table, quote_ident(k.conname) as name,
    pg_get_constraintdef(k.oid) as definition, k.contype = 'f' as "isReference"
  from pg_constraint k
  where k.connamespace = 'public'::regnamespace and k.contype in ('p', 'u', 'x', 'f')
  order by 1, 2`;

/** Those that are of no constraint. */
const INDEXES = `
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where c.relnamespace = 'public'::regnamespace and t.relkind = 'r'
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by 1`;

/** Lets the owner, who is no member of svc_operator, at all rows of the tables while the work goes on. */
async function withoutForcedPolicies(client: Client, tables: BackupTable[], work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string }>(FORCED, [tables.map(({ name }) => sqlName(client, name))]);
  for (const { name } of rows) await client.query(`alter table ${name} no force row level security`);
  await work();
  for (const { name } of rows) await client.query(`alter table ${name} force row level security`);
}

const FORCED = `
  select oid::regclass::text as name from pg_class where oid = any ($1::regclass[]) and relforcerowsecurity order by 1`;
