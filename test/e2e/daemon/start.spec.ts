import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { emptyDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { ServerProcess } from '../../kit/server-process.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function svc(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SVC_DATA_DIR: folder,
      // Nothing listens there: who gets so far says so.
      SVC_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
      ...{ SVCD_HTTP_PORT: '0', SVCD_MCP_PORT: '0', SVCD_GRPC_PORT: '0' },
      ...env,
    },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

const PRODUCTION = { NODE_ENV: 'production' };

describe('svc start daemon', { timeout: 120_000 }, () => {
  it.each([
    ['without SVCD_AUTH_MODE', {}, /SVCD_AUTH_MODE is not set.*off, dev_scopes, jwt_hs256, jwt_jwks/],
    ['with a mode that is none', { SVCD_AUTH_MODE: 'basic' }, /expected one of off, dev_scopes, jwt_hs256, jwt_jwks/],
    [
      'in dev_scopes beyond loopback',
      { SVCD_AUTH_MODE: 'dev', SVCD_HTTP_HOST: '0.0.0.0' },
      /SVCD_HTTP_HOST=0\.0\.0\.0/,
    ],
    ['in off beyond loopback', { SVCD_AUTH_MODE: 'off', SVCD_MCP_HOST: '::' }, /SVCD_MCP_HOST=::/],
    ['in jwt_jwks without keys', { SVCD_AUTH_MODE: 'OIDC' }, /SVCD_JWT_OIDC_DISCOVERY_URL.*SVCD_JWT_JWKS_URL/],
    [
      'in production without secrets',
      { ...PRODUCTION, SVCD_AUTH_MODE: 'jwt' },
      /SVC_SESSION_SECRET[^]*SVCD_JWT_HS256_SECRET[^]*SVC_SIGNING_KEY_FILE.*svc key create-signing/,
    ],
  ])('does not start %s, and says what to set', (_, env, message) => {
    const { status, stderr } = svc(['start', 'daemon'], env);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).not.toBe(0);
  });

  it('starts beyond loopback where that is asked for, and warns', async () => {
    const database = await emptyDatabase();
    const daemon = await ServerProcess.at(
      database.url,
      join(folder, 'dev'),
      {
        SVCD_AUTH_MODE: 'DEV-SCOPES',
        SVCD_HTTP_HOST: '0.0.0.0',
        SVCD_ALLOW_INSECURE_DEV_AUTH_BIND: '1',
        SVC_LOG_LEVEL: 'warn',
      },
      'daemon',
    );
    try {
      await daemon.start();
      expect((await send(daemon.url, 'GET', '/v1/auth/mode')).body.mode).toBe('dev_scopes');
      expect(daemon.output).toContain('the daemon can be reached from other machines');
    } finally {
      await daemon.stop('SIGTERM');
      await database.drop();
    }
  });

  it('takes the tokens of svc token, under the secret that the first start made', async () => {
    const database = await emptyDatabase();
    const dataDir = join(folder, 'jwt');
    const daemon = await ServerProcess.at(database.url, dataDir, { SVCD_AUTH_MODE: 'Jwt' }, 'daemon');
    const token = (...args: string[]) => svc(['token', ...args], { SVC_DATA_DIR: dataDir, SVCD_AUTH_MODE: 'jwt' });
    const statusOf = async (bearer: string) =>
      (await send(daemon.url, 'POST', '/v1/append', {}, { authorization: `Bearer ${bearer}` })).status;
    try {
      await daemon.start();
      const printed = token('--scope', 'admin:write', '--tenant', 'alfa', '--json', '--expires-in', '15m');
      expect(printed.stderr).toBe('');
      const { token: minted, expires_at } = JSON.parse(printed.stdout) as { token: string; expires_at: string };
      expect(await statusOf(minted)).toBe(400);
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
      expect(await statusOf(token('--scope', 'facts:read,query:read', '--passport', 'p-1').stdout.trim())).toBe(403);
      expect(await statusOf(`${minted}x`)).toBe(401);
    } finally {
      await daemon.stop('SIGTERM');
      await database.drop();
    }
  });
});

describe('svc token', { timeout: 60_000 }, () => {
  it.each([
    [['--scope', 'facts:write,nope'], /No such scope: nope[^]*admin:read[^]*tool:invoke:read/],
    [['--scope', 'facts:write', '--expires-in', 'soon'], /90s, 15m, 1h or 7d/],
    [['--scope', 'facts:write', '--passport', 'two words'], /passport_id/],
    [[], /--scope/],
  ])('says what is wrong with %j', (args, message) => {
    const { status, stdout, stderr } = svc(['token', ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('says which secret it lacks', () => {
    const { status, stdout, stderr } = svc(['token', '--scope', 'facts:write']);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/SVCD_JWT_HS256_SECRET/)]);
  });
});
