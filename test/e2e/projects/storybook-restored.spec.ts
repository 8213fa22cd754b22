import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { emptyDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';
import { anchorAt, claim, makeProject, must, publish, storeFact } from '../../medium/dossiers/given.js';

const AT = '/v1/projects/shop/storybook';
const FORMATS = ['markdown', 'html'] as const;

let folder: string;
let first: TestDaemon;
let restored: { url: string; drop(): Promise<void> };
let second: ServerProcess | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-storybook-'));
  first = await startDaemon({ tenants: ['acme'] });
  restored = await emptyDatabase();
});
afterAll(async () => {
  await second?.stop('SIGKILL');
  await restored.drop();
  await first.close();
  rmSync(folder, { recursive: true, force: true });
});

function svc(databaseUrl: string, ...args: string[]): void {
  const env = { PATH: process.env['PATH'], SVC_DATABASE_URL: databaseUrl, SVC_DATA_DIR: join(folder, args[0]!) };
  execFileSync(process.execPath, [PROGRAM, ...args], { env, stdio: 'ignore' });
}

it('a storybook of a restored backup has the same bytes, on a server of another time zone and language', async () => {
  const ada = first.as({ scopes: ALL_SCOPES, passport: 'ada', tenant: 'acme' });
  await makeProject(ada, 'shop', { name: 'The shop', planning_target: 'Q1' });
  const fact = await storeFact(ada, 'shop', 'decision:db', 'We use PostgreSQL.');
  for (const key of ['İstanbul', 'ısı', 'zebra', 'Ångström', 'risk:load'])
    await storeFact(ada, 'shop', key, `on ${key}`);
  await must(ada('PUT', '/v1/projects/shop/layers/style', { content: 'Write short sentences.' }));
  await must(
    ada('POST', '/v1/work', { project_id: 'shop', title: 'Pay', created_by_passport: 'ada', state: 'in_review' }),
  );
  await publish(ada, 'shop', 'd1', [claim('c1', anchorAt('fact', fact.fact_id, 'We use PostgreSQL.', 'PostgreSQL'))]);
  const made = await must(ada('POST', AT));

  svc(first.database.url, 'backup', join(folder, 'backup.tar.gz'));
  svc(restored.url, 'restore', join(folder, 'backup.tar.gz'), '--without-checkpoint', '--without-erasures');
  const abroad = { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
  const there = await ServerProcess.at(restored.url, join(folder, 'second'), abroad, 'daemon');
  second = there;
  await there.start();

  const headers = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme', 'x-svc-passport-id': 'eve' };
  const again = await send(there.url, 'POST', AT, undefined, headers);
  expect([again.status, again.body.detail]).toEqual([200, undefined]);
  expect([again.body.content_hash, again.body.same_as_before]).toEqual([made.content_hash, true]);
  for (const format of FORMATS) {
    const copy = await fetch(`${there.url}${AT}/${again.body.generated_at_unix_ms}?format=${format}`, { headers });
    const here = await fetch(`${first.url}${AT}/${made.generated_at_unix_ms}?format=${format}`, { headers });
    const [ours, theirs] = [await here.text(), await copy.text()];
    expect([here.status, copy.status, ours.includes('We use PostgreSQL.')]).toEqual([200, 200, true]);
    expect(theirs).toBe(ours);
  }
}, 240_000);
