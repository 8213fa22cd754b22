import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { Command } from 'commander';
import { readBuild } from '../../common/build-info.js';
import { withConnection } from '../../common/database/connection.js';
import { TENANT_TABLES } from '../../common/database/tenant-tables.js';
import { copyOut } from '../archive/copy.js';
import { PORTABLE_TEXT } from '../archive/tables.js';
import { withMigratedDatabase } from '../migrated.js';
import { print, UserError, type OutputOptions } from '../output.js';
import { checkIsFree, writeWhole } from '../whole-file.js';
import { LEFT_OUT_COLUMNS, LEFT_OUT_TABLES } from './export-columns.js';

const FORMAT = 'svc-tenant-export-1';
const LINE_FEED = 10;

export const exportTenant = () =>
  new Command('export')
    .description('write the rows of one tenant to a file, a JSON object a line, as of one moment and without secrets')
    .argument('<tenant>')
    .argument('<file>', 'the file to make, by custom *.jsonl')
    .option('--json', 'print one JSON object')
    .action(async (tenantId: string, file: string, options: OutputOptions) => {
      checkIsFree(file);
      await withMigratedDatabase(async ({ address, settings }) => {
        const rows = await withConnection(address, 'svc_operator', (client) => write(client, tenantId, file), {
          settings,
        });
        print(options, { tenant_id: tenantId, file, rows }, () => [`Wrote ${file}: ${rows} rows of ${tenantId}.`]);
      });
    });

/** @returns how many rows there are @throws UserError where there is no such tenant */
async function write(client: Client, tenantId: string, file: string): Promise<number> {
  await client.query(PORTABLE_TEXT);
  await client.query('begin isolation level repeatable read read only');
  const { rows: tenants } = await client.query<{ tenant: object }>(
    'select to_jsonb(t) as tenant from tenant t where tenant_id = $1',
    [tenantId],
  );
  if (!tenants[0]) throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
  const count = { rows: 0 };
  const lines = Readable.from(allLines(client, { tenantId, tenant: tenants[0].tenant, count }));
  await writeWhole(file, (made) => pipeline(lines, made.createWriteStream({ flush: true })));
  return count.rows;
}

interface Contents {
  tenantId: string;
  tenant: object;
  count: { rows: number };
}

/** A head, a line a row, and an end, without which the file is not whole. */
async function* allLines(client: Client, { tenantId, tenant, count }: Contents): AsyncGenerator<Buffer> {
  const head = { format: FORMAT, version: readBuild().version, tenant, created_at: new Date().toISOString() };
  yield lineOf(head);
  const { rows: tables } = await client.query<{ name: string }>(TENANT_TABLES);
  for (const { name } of tables.filter((table) => !LEFT_OUT_TABLES.has(table.name))) {
    for await (const chunk of copyOut(client, rowsOf(client, name, tenantId))) {
      count.rows += countLines(chunk);
      yield chunk;
    }
  }
  yield lineOf({ end: true, rows: count.rows });
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** JSON has no control characters: with them as quote and delimiter, COPY writes it as it is (PostgreSQL, "COPY"). */
const rowsOf = (client: Client, table: string, tenantId: string): string =>
  `copy (select json_build_object('table', ${client.escapeLiteral(table)}, 'row', to_jsonb(t) - 'tenant_id'${without(client, table)})
   from ${table} t where tenant_id = ${client.escapeLiteral(tenantId)}) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`;

const without = (client: Client, table: string): string =>
  (LEFT_OUT_COLUMNS[table] ?? []).map((column) => ` - ${client.escapeLiteral(column)}`).join('');
