import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEFT_OUT_COLUMNS, LEFT_OUT_TABLES } from '../../src/cli/tenant/export-columns.js';
import { TENANT_TABLES } from '../../src/common/database/tenant-tables.js';
import { freshDatabase, type TestDatabase } from '../kit/database.js';

let database: TestDatabase;
let tables: string[];
beforeAll(async () => {
  database = await freshDatabase();
  tables = (await database.query<{ name: string }>(TENANT_TABLES)).map(({ name }) => name);
  await database.query(`insert into tenant (tenant_id, tier) values ('gone', 'free'), ('here', 'free')`);
  await database.query(`update tenant set state = 'deleted', erase_after = now(), erasure_began_at = now(), erased_clearing = 0
    where tenant_id = 'gone'`);
});
afterAll(() => database.drop());

/** Have leaves of the log, and go by a function of their own. */
const RECORDS = ['receipt', 'retrieval_receipt'];

describe('every table with a tenant_id', () => {
  it('is in the list by which tenants are erased, shown and exported, after those that refer to it', async () => {
    const all = await database.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
    );
    expect([...tables, 'tenant'].sort()).toEqual(all.map(({ name }) => name).sort());
    const references = await database.query<{ child: string; parent: string }>(
      `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
       where contype = 'f' and conrelid <> confrelid`,
    );
    const place = (name: string) => tables.indexOf(name);
    const wrong = references.filter(
      ({ child, parent }) => place(child) >= 0 && place(parent) >= 0 && place(child) > place(parent),
    );
    expect([references.length > 30, wrong]).toEqual([true, []]);
  });

  it('lets the erasure, and nothing else, reach the rows of a tenant whose erasure has begun', async () => {
    const secured = await database.query<{ name: string }>(
      `select polrelid::regclass::text as name from pg_policy where polname = 'erased_rows'
       and pg_get_expr(polqual, polrelid) = $1`,
      [`(tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text))`],
    );
    expect(secured.map(({ name }) => name).sort()).toEqual([...tables, 'tenant'].sort());
    for (const table of tables.filter((name) => !RECORDS.includes(name))) {
      const erase = (tenant: string) => database.query('select svc_erase_rows($1, $2, 10)', [tenant, table]);
      await expect(erase('here')).rejects.toThrow('the erasure of tenant here has not begun');
      expect([table, await erase('gone')]).toEqual([table, [{ svc_erase_rows: 0 }]]);
    }
    const eraseRecords = (tenant: string) => database.query(`select svc_erase_records($1, '{}', '{}')`, [tenant]);
    await expect(eraseRecords('here')).rejects.toThrow('the erasure of tenant here has not begun');
    expect(await eraseRecords('gone')).toEqual([{ svc_erase_records: 0 }]);
    for (const table of ['tenant', 'log_leaf', 'server_secret', ...RECORDS])
      await expect(database.query('select svc_erase_rows($1, $2, 10)', ['gone', table])).rejects.toThrow('no table of');
  });

  it('is exported without secrets: what looks like one is left out, or is named here as none', async () => {
    const columns = await database.query<{ column: string; table: string; name: string }>(
      `select table_name || '.' || column_name as column, table_name as table, column_name as name from information_schema.columns
       where table_schema = 'public' and column_name ~ 'hash|secret|token|lookup|salt|password|cipher' and table_name = any($1)`,
      [tables],
    );
    const exported = columns.filter(
      ({ table, name }) => !LEFT_OUT_TABLES.has(table) && !LEFT_OUT_COLUMNS[table]?.includes(name),
    );
    expect(exported.map(({ column }) => column).sort()).toEqual(NO_SECRETS);
    const known = Object.entries(LEFT_OUT_COLUMNS).flatMap(([table, names]) => names.map((name) => `${table}.${name}`));
    expect(known.filter((column) => !columns.some((one) => one.column === column))).toEqual([]);
    expect([...LEFT_OUT_TABLES].filter((table) => !tables.includes(table))).toEqual([]);
  });
});

/** Digests of texts and records, and counts of tokens. */
const NO_SECRETS = [
  'candidate.holds_secret',
  'chunk.content_hash',
  'citation.content_hash',
  'credit_spending.note_salt',
  'document_version.content_hash',
  'dossier.content_hash',
  'dossier_anchor.content_hash',
  'erased_receipt.payload_hash',
  'erased_receipt.prev_hash',
  'fact.tenant_hash',
  'fact.tokens',
  'github_integration.token_expires_at',
  'github_integration.token_scopes',
  'memory_case.content_hash',
  'observe_step.salt',
  'primitive_pin.content_hash',
  'proof_job_chunk.content_hash',
  'receipt.payload_hash',
  'receipt.prev_hash',
  'receipt_head.payload_hash',
  'result_envelope.content_hash',
  'storybook.content_hash',
  'stream_event.salt',
  'usage_event.tokens_in',
  'usage_event.tokens_out',
  'watch_source.content_hash',
  'workbench_command.salt',
];
