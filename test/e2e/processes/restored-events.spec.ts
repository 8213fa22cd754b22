import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loginUrl } from '../../../src/common/database/connection.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../kit/database.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

let folder: string;
let first: TestDatabase;
let second: { url: string; drop(): Promise<void> };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-restored-'));
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'inherit' });
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
  execFileSync(process.execPath, [join(ROOT, 'dist', 'main.js'), ...args], { env, stdio: 'ignore' });
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
    await client.end();
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
});
