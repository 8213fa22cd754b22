import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loginUrl } from '../../../src/common/database/connection.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { readSchema } from '../../kit/schema.js';

let folder: string;
let first: TestDatabase;
let second: Pick<TestDatabase, 'url' | 'superuserUrl' | 'drop'>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-restored-'));
  first = await freshDatabase();
  second = await emptyDatabase();
}, 120_000);
afterAll(async () => {
  await first.drop();
  await second.drop();
  rmSync(folder, { recursive: true, force: true });
});

let runs = 0;
function run(databaseUrl: string, ...args: string[]): void {
  const dataDir = join(folder, `${args[0]}-${(runs += 1)}`);
  const env = { PATH: process.env['PATH'], SVC_DATABASE_URL: databaseUrl, SVC_DATA_DIR: dataDir };
  execFileSync(process.execPath, [PROGRAM, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

const EVENTS = `insert into outbox_event (tenant_id, event_id, kind, subject, data, transaction)
  select 'acme', gen_random_uuid(), 'test', e.subject, '{}', e.transaction::xid8
  from unnest(array['early', 'delivered', 'late'], array['3', '900000000000', '900000000001']) e(subject, transaction)`;

describe('a restored database', { timeout: 120_000 }, () => {
  it('has all its events below every new transaction, in their order, and its readers where they were', async () => {
    await first.query(EVENTS);
    await first.query(`insert into outbox_cursor (sink, transaction, position)
      select 'webhooks', transaction, position from outbox_event where subject = 'delivered'`);
    await first.query(`insert into outbox_cursor (sink, transaction, position)
      select 'watches', transaction, position from outbox_event where subject = 'late'`);
    run(first.url, 'backup', join(folder, 'backup.tar.gz'));
    run(second.url, 'restore', join(folder, 'backup.tar.gz'), '--without-checkpoint', '--without-erasures');

    const client = new Client(loginUrl(second.url, 'svc_operator'));
    await client.connect();
    const events = await client.query<{ subject: string }>(
      `select subject from outbox_event where transaction < pg_snapshot_xmin(pg_current_snapshot()) order by transaction, position`,
    );
    const ahead = await client.query(
      `select c.sink, e.subject from outbox_cursor c
       join outbox_event e on (e.transaction, e.position) > (c.transaction, c.position) order by c.sink, e.position`,
    );
    const next = await client.query<{ isAbove: boolean }>(
      `select r.position > max(e.position) and nextval('outbox_event_position_seq') > r.position as "isAbove"
       from outbox_restore r, outbox_event e group by r.position`,
    );
    await client.end();
    expect(next.rows).toEqual([{ isAbove: true }]);
    expect(events.rows.map(({ subject }) => subject)).toEqual(['early', 'delivered', 'late']);
    expect(ahead.rows).toEqual([{ sink: 'webhooks', subject: 'late' }]);
  });

  it('gives no fence again that was given out, after the backup too', async () => {
    await first.query(`insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at,
        renewed_at, expires_at)
      select 'acme', nextval('lease_fence') + 4999, 'path', 'src', 'card', 'write', 'ada', 'ada', now(), now(), now()`);
    const fences: number[] = [];
    const backup = join(folder, 'fences.tar.gz');
    run(first.url, 'backup', backup);
    for (const database of [await emptyDatabase(), await emptyDatabase()]) {
      run(database.url, 'restore', backup, '--without-checkpoint', '--without-erasures');
      const client = new Client(loginUrl(database.url, 'svc_operator'));
      await client.connect();
      const { rows } = await client.query<{ fence: string }>(`select nextval('lease_fence') as fence`);
      fences.push(Number(rows[0]!.fence));
      await client.end();
      await database.drop();
    }
    expect(fences[0]).toBeGreaterThan(5000 + 1_000_000_000);
    expect(fences[1]).toBeGreaterThan(fences[0]!);
  });

  it('has every key, reference, index, policy and trigger of one that was migrated', async () => {
    expect(await describeSchema(second.superuserUrl)).toBe(await describeSchema(first.superuserUrl));
  });

  it('is not there where a row refers to one that the backup does not have', async () => {
    const owner = new Client(first.superuserUrl);
    await owner.connect();
    // As only damage does it: without the check of the reference.
    await owner.query('set session_replication_role = replica');
    await owner.query(`insert into feedback_vote (tenant_id, request_id, principal)
      select 'acme', gen_random_uuid(), 'ada'`);
    await owner.end();
    const backup = join(folder, 'unsound.tar.gz');
    run(first.url, 'backup', backup);
    const empty = await emptyDatabase();
    const restore = () => run(empty.url, 'restore', backup, '--without-checkpoint', '--without-erasures');
    expect(restore).toThrow(
      /damaged: the rows of feedback_vote cannot be stored \(.*feedback_vote_tenant_id_request_id_fkey/,
    );
    await empty.drop();
  });
});

async function describeSchema(url: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  const triggers = await client.query<{ name: string }>(
    `select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) as name from pg_trigger where not tgisinternal order by 1`,
  );
  const schema = await readSchema(client);
  await client.end();
  return [schema, ...triggers.rows.map(({ name }) => name)].join('\n');
}
