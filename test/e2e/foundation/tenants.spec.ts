import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { PROGRAM } from '../../kit/program.js';

let folder: string;
let daemon: TestDaemon;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tenants-'));
  daemon = await startDaemon();
});
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

function svc(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'] ?? '', SVC_DATA_DIR: folder, SVC_DATABASE_URL: daemon.database.url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}
const rowsOf = (stdout: string) =>
  (JSON.parse(stdout) as { tenants: { tenant_id: string; tier: string; implicit: boolean }[] }).tenants.map(
    ({ tenant_id, tier, implicit }) => [tenant_id, tier, implicit],
  );

describe('a tenant that a first write registered', { timeout: 120_000 }, () => {
  it('is listed as implicit, has no key, and is created by adoption alone', async () => {
    const call = daemon.as({ scopes: 'facts:write', tenant: 'acme' });
    expect((await call('PUT', '/v1/facts', { entity: 'office', key: 'city', value: 'Lisbon' })).status).toBe(201);

    // The first command makes the first tenant: an implicit one is not it.
    expect(rowsOf(svc('tenant', 'list', '--json').stdout)).toEqual([
      ['acme', 'free', true],
      ['default', 'team', false],
    ]);
    expect(svc('tenant', 'list').stdout).toMatch(
      /\nacme +free +active +\S+ +implicit\ndefault +team +active +\S+ +created\n$/,
    );
    expect(svc('key', 'create', 'acme')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('svc tenant create acme --adopt'),
    });
    expect(svc('tenant', 'create', 'acme')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Data was stored under the name acme .*svc tenant create acme --adopt/),
    });

    const made = svc('tenant', 'create', 'acme', '--adopt', '--tier', 'pro', '--json');
    expect([made.code, JSON.parse(made.stdout)]).toEqual([
      0,
      { tenant_id: 'acme', tier: 'pro', api_key: expect.stringMatching(/^svc_key_/) },
    ]);
    expect(rowsOf(svc('tenant', 'list', '--json').stdout)).toContainEqual(['acme', 'pro', false]);
    expect(svc('tenant', 'create', 'acme', '--adopt')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is a tenant acme already'),
    });
  });
});
