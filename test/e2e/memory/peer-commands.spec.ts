import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenants, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { makePeer } from '../../kit/peer.js';
import { PROGRAM } from '../../kit/program.js';

let here: TestDatabase;
let there: TestDaemon;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-peer-commands-'));
  here = await freshDatabase();
  await createTenants(here, ['acme']);
  there = await startDaemon({ tenants: ['acme'], env: { SVC_SIGNING_KEY_FILE: '', SVCD_SYNC_MUTUAL_AUTH: '1' } });
}, 120_000);
afterAll(async () => {
  await there.close();
  await here.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** `svc peer` on the database of this side, which no process serves. */
function peer(...args: string[]): Promise<{ code: number; said: any; stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], NODE_ENV: 'test', SVC_DATABASE_URL: here.url, SVC_DATA_DIR: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, 'peer', ...args], { env }, (error, stdout, stderr) => {
      const said: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
      resolve({ code: (error?.code as number | undefined) ?? 0, said, stdout, stderr });
    });
  });
}

describe('svc peer', { timeout: 300_000 }, () => {
  it('adds two daemons to each other, checks, lists and revokes', async () => {
    const key = await peer('key', '--json');
    expect([key.code, key.stderr, key.said]).toEqual([
      0,
      '',
      { public_key: expect.stringMatching(/^[\w-]{43}$/), keyid: expect.any(String), signs_here: true, replaced: null },
    ]);
    expect((await peer('key')).stdout.split('\n')[0]).toBe(key.said.public_key);

    const [theirs] = await there.database.query<{ key: Buffer }>('select public_key as key from peer_identity');
    const rights = ['--prefix', 'project:', 'note:', '--direction', 'pull', '--scope', 'facts:write'];
    const names = ['hub', '--tenant', 'acme', '--key', theirs!.key.toString('base64url'), '--url', there.url];
    const added = await peer('add', ...names, ...rights, '--collection', 'facts', 'holds', '--json');
    expect([added.code, added.said]).toMatchObject([
      0,
      {
        ...{ peer_id: 'hub', url: there.url, direction: 'pull', scopes: ['facts:write'], created_by: 'operator' },
        ...{ entity_prefixes: ['project:', 'note:'], collections: ['facts', 'holds'] },
      },
    ]);

    const unknown = await peer('check', 'hub', '--tenant', 'acme', '--json');
    expect([unknown.code, unknown.said.error]).toEqual([1, expect.stringContaining('401 PEER_UNKNOWN')]);
    const request = { tenant_id: 'acme', peer_id: 'spoke', entity_prefixes: ['project:'], direction: 'push' };
    await there.call('POST', '/v1/sync/peers', { ...request, public_key: key.said.public_key });
    const known = await peer('check', 'hub', '--tenant', 'acme', '--json');
    expect([known.code, known.said]).toMatchObject([0, { principal: 'peer:spoke', may_read: true, may_write: false }]);

    expect((await peer('list', '--tenant', 'acme')).stdout).toMatch(/^PEER .*\nhub +pull +project: note: .* active\n$/);
    const revoked = await peer('revoke', 'hub', '--tenant', 'acme', '--json');
    expect(revoked.said).toMatchObject({ status: 'revoked', revoked_by: 'operator' });
    const gone = await peer('check', 'hub', '--tenant', 'acme', '--json');
    expect([gone.code, gone.said.error]).toEqual([1, expect.stringContaining('was revoked')]);
  });

  it('says what is wrong', async () => {
    const { publicKey } = makePeer();
    const whole = ['bad', '--tenant', 'acme', '--key', publicKey, '--prefix', 'a:', '--direction', 'both'];
    const errorOf = async (...args: string[]) => (await peer(...args, '--json')).said?.error;
    expect(await errorOf('add', ...whole, '--url', 'http://peer.example')).toContain('SVCD_SYNC_ALLOW_HTTP=1');
    expect(await errorOf('add', ...whole.with(4, 'AAAA'))).toContain('is no Ed25519 key');
    expect(await errorOf('add', ...whole.with(2, 'nobody'))).toContain('There is no tenant nobody');
    expect(await errorOf('revoke', 'nobody', '--tenant', 'acme')).toContain('No peer is called nobody');
    expect((await peer('add', ...whole.slice(0, 5))).code).toBe(2);
  });

  it('names another key', async () => {
    const before = await peer('key', '--json');
    const after = await peer('key', '--new', '--json');
    expect(after.said).toMatchObject({ replaced: before.said.keyid, signs_here: true });
    expect((await peer('key', '--json')).said.keyid).toBe(after.said.keyid);
  });
});
