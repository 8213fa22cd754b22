import { createHash } from 'node:crypto';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { DropUncalledFunctions1795946000000 } from '../../../src/migrations/1795946000000-drop-uncalled-functions.js';
import { FindKeysByLookup1795400400000 } from '../../../src/migrations/1795400400000-find-keys-by-lookup.js';
import { byBearer, send, startApi, type Answer, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { claims, forged, HS256_ENV, hs256 } from '../daemon-auth/given.js';
import { connect, cookieOf } from '../frontdoor/given.js';

const CHOSEN = 'a key of our own, of thirty-two characters or more';

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
beforeAll(async () => {
  // Each test comes from an address of its own, so that failures of one are not counted for another.
  const env = { SVC_JOBS: '0', SVC_TRUSTED_PROXIES: '127.0.0.1', FEATURE_SELF_SIGNUP: '1' };
  api = await startApi({ env });
  tools = await startTools(api, { env });
  daemon = await startDaemon({ database: api.database, env: HS256_ENV, tenants: ['alfa'] });
  await TenantsStore.using({ ownerUrl: api.database.url }, (store) => store.createKey('acme', CHOSEN));
});
afterAll(async () => {
  await daemon.close();
  await tools.close();
  await api.close();
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const MCP = { accept: 'application/json, text/event-stream' };
type Call = (address: string, credential: Record<string, string>) => Promise<Answer>;
const from = (address: string) => ({ 'x-forwarded-for': address });

/** Wherever an API key or a bearer is taken. */
const corpora: Call = (address, credential) =>
  send(api.url, 'GET', '/v1/corpora', undefined, { ...from(address), ...credential });
const rpc: Call = (address, credential) => send(tools.url, 'POST', '/rpc', LIST, { ...from(address), ...credential });
const stream: Call = (address, credential) =>
  send(tools.url, 'POST', '/stream', LIST, { ...from(address), ...credential });
const mcp: Call = (address, credential) =>
  send(tools.url, 'POST', '/mcp', LIST, { ...MCP, ...from(address), ...credential });
const sse: Call = (address, credential) =>
  send(tools.url, 'GET', '/sse', undefined, { ...from(address), ...credential });
const facts: Call = (address, credential) =>
  send(daemon.url, 'GET', '/v1/facts/list', undefined, { ...from(address), ...credential });

const ofKey = (apiKey: string) => ({ 'x-tenant-id': 'acme', 'x-api-key': apiKey });
const minted = (n: number) => `svc_key_${String(n).padStart(12, '0')}_${'A'.repeat(43)}`;
const wrongSecret = () => `${api.tenant.apiKey.slice(0, -4)}AAAA`;

/** The statuses of so many calls, one after another. */
async function statusesOf(count: number, one: (n: number) => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await one(n)).status);
  return statuses;
}
const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

describe('invalid credentials', () => {
  it.each<[string, number, Call]>([
    ['the API', 1, corpora],
    ['POST /rpc', 2, rpc],
    ['POST /stream', 3, stream],
    ['POST /mcp', 4, mcp],
    ['GET /sse', 5, sse],
  ])(
    'are answered 429 after ten of one prefix by %s, and the right key is taken all the same',
    async (_, number, call) => {
      const address = `192.0.2.${number}`;
      expect(await statusesOf(10, () => call(address, ofKey(wrongSecret())))).toEqual(times(10, 401));
      const { status, headers, body } = await call(address, ofKey(wrongSecret()));
      expect([status, headers.get('retry-after'), body.type, body.retryable]).toEqual([
        429,
        '1',
        'CredentialThrottled',
        true,
      ]);
      expect(body.detail).not.toContain('AAAA');
      if (call !== sse) expect((await call(address, ofKey(api.tenant.apiKey))).status).toBe(200);
      expect((await call(`198.51.100.${number}`, ofKey(wrongSecret()))).status).toBe(401);
    },
  );

  it('are answered 429 after fifty of an address, whatever the prefix', async () => {
    expect(await statusesOf(50, (n) => corpora('192.0.2.101', ofKey(minted(n))))).toEqual(times(50, 401));
    expect((await corpora('192.0.2.101', ofKey(minted(50)))).status).toBe(429);
    expect((await corpora('192.0.2.101', ofKey(api.tenant.apiKey))).status).toBe(200);
  });

  it('are counted by the /64 of an IPv6 address', async () => {
    await statusesOf(10, (n) => corpora(`2001:db8:0:1::${n}`, ofKey(wrongSecret())));
    expect((await corpora('2001:db8:0:1:ffff::1', ofKey(wrongSecret()))).status).toBe(429);
    expect((await corpora('2001:db8:0:2::1', ofKey(wrongSecret()))).status).toBe(401);
  });

  it('include bearers of agents and cookies that this server did not sign', async () => {
    const agent = (await send(api.url, 'POST', '/v1/agents/register', { agentFramework: 'test' })).body.sessionToken;
    const cookie = cookieOf(await connect(api.url, 'acme', api.tenant.apiKey));
    const right: Record<string, string>[] = [{ authorization: `Bearer ${agent}` }, { cookie }];
    const wrong: Record<string, string>[] = [{ authorization: `Bearer ${agent}x` }, { cookie: `${cookie}x` }];
    for (const [index, credential] of wrong.entries()) {
      const address = `192.0.2.${110 + index}`;
      expect(await statusesOf(10, () => corpora(address, credential))).toEqual(times(10, 401));
      expect((await corpora(address, credential)).status).toBe(429);
      expect([200, 403]).toContain((await corpora(address, right[index]!)).status);
    }
  });

  it('do not include missing ones, nor those of a session or agent that has ended', async () => {
    expect(await statusesOf(12, () => corpora('192.0.2.120', {}))).toEqual(times(12, 401));
    const cookie = cookieOf(await connect(api.url, 'acme', api.tenant.apiKey));
    await send(api.url, 'POST', '/frontdoor/auth/logout', undefined, { cookie, origin: api.url });
    expect(await statusesOf(12, () => corpora('192.0.2.120', { cookie }))).toEqual(times(12, 401));
    const { sessionToken } = (await send(api.url, 'POST', '/v1/agents/register', { agentFramework: 'test' })).body;
    await api.database.query(`update agent set expires_at = now() - interval '1 day'`);
    const ended = () => byBearer(api.url, sessionToken)('GET', '/v1/bundles', undefined, from('192.0.2.120'));
    expect(await statusesOf(12, ended)).toEqual(times(12, 401));
  });
});

describe('user-chosen keys', () => {
  it('are checked four times a second past the bound, also by sixteen at once', async () => {
    const guess = (n: number) => corpora('192.0.2.130', ofKey(`guess number ${n}`));
    await statusesOf(10, guess);
    const start = performance.now();
    const guesses = await Promise.all(Array.from({ length: 16 }, (_, n) => guess(100 + n)));
    expect(performance.now() - start).toBeGreaterThan(15 * 250 - 100);
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });

  it('that are right are taken in their turn, and at once when they were right before', async () => {
    const crowd = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => corpora('192.0.2.131', ofKey(`guess number ${n}`))));
    await crowd(10);
    const [first] = await Promise.all([corpora('192.0.2.131', ofKey(CHOSEN)), crowd(10)]);
    expect(first.status).toBe(200);
    let isOver = false;
    const guesses = crowd(60).finally(() => (isOver = true));
    const again = await corpora('192.0.2.131', ofKey(CHOSEN));
    expect([again.status, isOver]).toEqual([200, false]);
    expect((await guesses).every(({ status }) => status === 401 || status === 429)).toBe(true);
  });
});

describe('the prefix of a user-chosen key', () => {
  const rows = () =>
    api.database.query<{ prefix: string; key_hash: Buffer; lookup: Buffer }>(
      `select prefix, key_hash, lookup from api_key where prefix like 'own%'`,
    );

  it('says nothing of the key, nor does anything else that is not its hash', async () => {
    const hash = createHash('sha256').update(CHOSEN).digest('hex');
    for (const { prefix, key_hash, lookup } of await rows()) {
      expect(prefix).toMatch(/^own[0-9a-f]{12}$/);
      expect(hash).not.toContain(prefix.slice(3));
      expect(key_hash.toString('hex')).toBe(hash);
      expect([lookup.length, lookup.equals(key_hash)]).toEqual([32, false]);
    }
  });

  it('is replaced for keys of earlier versions, which go on working', async () => {
    // Past row-level security, which the roles' memberships lift for `svc migrate` alone.
    const owner = new Client({ connectionString: api.database.superuserUrl });
    await owner.connect();
    const migration = new FindKeysByLookup1795400400000();
    const runner = owner as unknown as QueryRunner;
    const dropped = new DropUncalledFunctions1795946000000();
    try {
      await dropped.down(runner);
      await migration.down(runner);
      const before = (await owner.query<{ prefix: string }>(`select prefix from api_key where prefix like 'own%'`))
        .rows;
      expect(before).toEqual([{ prefix: `own${createHash('sha256').update(CHOSEN).digest('hex').slice(0, 12)}` }]);
      await migration.up(runner);
      await dropped.up(runner);
      expect((await rows()).map(({ prefix }) => prefix)).not.toEqual(before.map(({ prefix }) => prefix));
    } finally {
      await owner.end();
    }
    const second = await startApi({ env: { SVC_JOBS: '0' }, database: api.database });
    const statuses = await Promise.all(
      [CHOSEN, api.tenant.apiKey].map((key) => send(second.url, 'GET', '/v1/corpora', undefined, ofKey(key))),
    );
    await second.close();
    expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('invalid tokens of the daemon', () => {
  const wrong = {
    authorization: `Bearer ${forged({ alg: 'HS256', typ: 'JWT' }, claims(), 'another secret of 32 characters')}`,
  };

  it('are answered 429 after ten of an address, and the right one is taken all the same', async () => {
    const right = { authorization: `Bearer ${await hs256()}` };
    expect(await statusesOf(10, () => facts('192.0.2.140', wrong))).toEqual(times(10, 401));
    const { status, headers, body } = await facts('192.0.2.140', wrong);
    expect([status, headers.get('retry-after'), body.code]).toEqual([429, '1', 'RATE_LIMITED']);
    expect((await facts('192.0.2.140', right)).status).toBe(200);
    expect((await facts('192.0.2.141', wrong)).status).toBe(401);
    expect(await statusesOf(12, () => facts('192.0.2.142', {}))).toEqual(times(12, 401));
  });

  it('do not include those that the right key signed: an expired one is answered 401', async () => {
    const expired = { authorization: `Bearer ${await hs256(claims({ exp: 1 }))}` };
    expect(await statusesOf(12, () => facts('192.0.2.144', expired))).toEqual(times(12, 401));
  });

  it('count over MCP as well', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_facts', arguments: {} } };
    const tool = async () =>
      (await send(daemon.mcpUrl, 'POST', '', call, { ...MCP, ...from('192.0.2.143'), ...wrong })).text;
    for (let n = 0; n < 10; n++) expect(await tool()).toContain('UNAUTHORIZED');
    expect(await tool()).toContain('RATE_LIMITED');
    expect((await facts('192.0.2.143', wrong)).status).toBe(429);
  });
});
