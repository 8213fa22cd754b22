import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byBearer, caller, send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makeTenantFixture, SECRET, withCookie, type TenantFixture } from '../../kit/tenant-fixture.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { claims, hs256, HS256_ENV } from '../../medium/daemon-auth/given.js';
import { SvcCommand } from './given.js';

const ON = { FEATURE_SELF_SIGNUP: '1' };
const WITHIN_MS = 1_000;

let api: TestApi;
let second: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
let svc: SvcCommand;
let acme: TestTenant;
let other: TestTenant;
let fixture: TenantFixture;
let token: string;

beforeAll(async () => {
  api = await startApi({ env: ON });
  second = await startApi({ env: ON, database: api.database });
  tools = await startTools(api, { env: { ...ON, SVC_TOOLS_RATE_LIMIT: '0' } });
  daemon = await startDaemon({ env: HS256_ENV, database: api.database });
  svc = new SvcCommand(api.database);
  acme = api.tenant;
  other = await api.addTenant('other');
  fixture = await makeTenantFixture(api, acme);
  token = await hs256(claims({ tenant_id: acme.tenantId, scope: 'facts:write query:read receipts:read' }));
}, 240_000);
afterAll(async () => {
  await daemon.close();
  await tools.close();
  await second.close();
  await api.close();
  svc.remove();
});

const rpc = { jsonrpc: '2.0', id: 1, method: 'get_credit_balance', params: { agent_id: 'a' } };
const keyOf = ({ tenantId, apiKey }: TestTenant) => ({ 'x-tenant-id': tenantId, 'x-api-key': apiKey });
const mcp = (method: string, params: object = {}) => ({
  body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } },
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
  },
});
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One call by each kind of credential, in each process that takes it. @returns the statuses */
async function statuses(): Promise<Record<string, number>> {
  const bearer = { authorization: `Bearer ${token}` };
  const list = mcp('tools/list');
  const calls: Record<string, () => Promise<{ status: number }>> = {
    'key at one api': () => acme.call('GET', '/v1/corpora'),
    'key at another api': () => caller(second.url, acme.tenantId, acme.apiKey)('GET', '/v1/corpora'),
    'seat session': () => withCookie(api.url, fixture.cookie)('GET', '/v1/org/seats'),
    'seat session at another api': () => withCookie(second.url, fixture.cookie)('GET', '/v1/org/seats'),
    'sponsored agent': () => byBearer(api.url, fixture.bearer)('GET', '/v1/documents'),
    'sponsored agent at another api': () => byBearer(second.url, fixture.bearer)('GET', '/v1/documents'),
    'sign-in by key': () =>
      send(api.url, 'POST', '/frontdoor/auth/connect', { tenantId: acme.tenantId, apiKey: acme.apiKey }),
    'tool by key': () => send(tools.url, 'POST', '/rpc', rpc, keyOf(acme)),
    'tool by agent': () => send(tools.url, 'POST', '/rpc', rpc, { authorization: `Bearer ${fixture.bearer}` }),
    'mcp by key': () => send(tools.url, 'POST', '/mcp', list.body, { ...keyOf(acme), ...list.headers }),
    'mcp by key alone': () =>
      send(tools.url, 'POST', '/mcp', list.body, { authorization: `Bearer ${acme.apiKey}`, ...list.headers }),
    'daemon read': () => send(daemon.url, 'GET', '/v1/facts?query=lisbon', undefined, bearer),
    'daemon write': () =>
      send(daemon.url, 'PUT', '/v1/facts', { entity: 'office', key: crypto.randomUUID(), value: 'Lisbon' }, bearer),
  };
  const made = Object.entries(calls).map(async ([name, call]) => [name, (await call()).status] as const);
  return Object.fromEntries(await Promise.all(made));
}

/** Reads a stream until it ends. */
async function readAll(response: Response): Promise<string> {
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  return text;
}

describe('a suspended tenant', { timeout: 240_000 }, () => {
  it('is refused with every credential, everywhere, within a second, its streams end, and its data stays', async () => {
    const before = await statuses();
    expect(Object.entries(before).filter(([, status]) => status >= 400)).toEqual([]);
    const sse = readAll(await fetch(`${tools.url}/sse`, { headers: keyOf(acme) }));
    const live = readAll(
      await fetch(`${daemon.url}/v1/events/stream`, { headers: { authorization: `Bearer ${token}` } }),
    );
    const listen = mcp('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const subscribed = await fetch(`${tools.url}/mcp`, {
      method: 'POST',
      headers: { ...keyOf(acme), ...listen.headers, 'content-type': 'application/json' },
      body: JSON.stringify(listen.body),
    });
    expect(subscribed.status).toBe(200);
    const subscription = readAll(subscribed);
    // Requests go on while the operator acts.
    const seen: number[] = [];
    let isOver = false;
    const load = (async () => {
      while (!isOver) seen.push((await acme.call('GET', '/v1/corpora')).status);
    })();

    const act = await svc.json('tenant', 'suspend', acme.tenantId, '--reason', 'an invoice is open');
    expect(act).toMatchObject({ tenant_id: acme.tenantId, state: 'suspended', changed: true });
    await sleep(WITHIN_MS - (Date.now() - Date.parse(act.state_since)));
    const after = await statuses();
    isOver = true;
    await load;
    expect(after).toEqual(Object.fromEntries(Object.keys(before).map((name) => [name, 401])));
    expect([seen[0], seen.at(-1), new Set(seen)]).toEqual([200, 401, new Set([200, 401])]);
    expect((await acme.call('GET', '/v1/corpora')).body.detail).toMatch(/suspended.*operator/);
    expect(await sse).toMatch(/event: end\ndata: \{"reason":"unauthorized"\}\n\n$/);
    expect(await live).toMatch(/event: end\ndata: \{"reason":"unauthorized"\}\n\n$/);
    expect(await subscription).toContain('notifications/subscriptions/acknowledged');
    // However often a valid key comes, it is no guess.
    for (let n = 0; n < 15; n += 1) expect((await acme.call('GET', '/v1/corpora')).status).toBe(401);

    expect((await other.call('GET', '/v1/corpora')).status).toBe(200);
    const [kept] = await api.database.query('select count(*)::int as documents from document where tenant_id = $1', [
      acme.tenantId,
    ]);
    expect(kept).toEqual({ documents: 2 });
    expect((await svc.json('tenant', 'suspend', acme.tenantId, '--reason', 'again')).changed).toBe(false);

    expect(await svc.json('tenant', 'resume', acme.tenantId, '--reason', 'it is paid')).toMatchObject({
      state: 'active',
    });
    await expect.poll(statuses, { timeout: 10_000 }).toEqual(before);
    const found = await acme.call('POST', '/v1/retrieve', { query: SECRET, includeCommons: false });
    expect(found.body.results).not.toEqual([]);
    const recorded = await api.database.query(
      `select o.kind, o.data ->> 'reason' as reason, r.actor, r.stream from outbox_event o
       join receipt r on r.tenant_id = o.tenant_id and r.receipt_id::text = o.data ->> 'receiptId'
       where o.tenant_id = $1 and o.kind like 'tenant.%' order by o.position`,
      [acme.tenantId],
    );
    expect(recorded).toEqual([
      { kind: 'tenant.suspended', reason: 'an invoice is open', actor: 'operator', stream: 'tenant' },
      { kind: 'tenant.resumed', reason: 'it is paid', actor: 'operator', stream: 'tenant' },
    ]);
  });

  it('takes up no invitation, and its invited seat gets in once it is active again', async () => {
    const { inviteToken: invite } = (await other.call('POST', '/v1/org/invite', { email: 'late@example.org' })).body;
    const accept = () => send(api.url, 'POST', '/v1/org/accept-invite', { token: invite });
    await svc.json('tenant', 'suspend', 'other', '--reason', 'a test');
    expect((await accept()).status).toBe(404);
    await svc.json('tenant', 'resume', 'other', '--reason', 'it is over');
    expect((await accept()).status).toBe(200);
  });

  it('keeps what it shares, and finishes what it was promised', async () => {
    const share = (docId: string) => ({
      ...{ tenantId: 'other', corpusId: 'c', docId, title: docId, content: `Quokkas of ${docId} smile.` },
      ...{ url: 'https://example.org/', shareability: 'public_safe' },
    });
    const { ingestId } = (await other.call('POST', '/v1/ingest', share('first'))).body;
    await svc.json('tenant', 'suspend', 'other', '--reason', 'a test');
    const status = () => api.database.query('select status from ingest where ingest_id = $1', [ingestId]);
    await expect.poll(status, { timeout: 30_000 }).toEqual([{ status: 'completed' }]);
    const found = await acme.call('POST', '/v1/retrieve', { query: 'quokkas smile' });
    expect(found.body.results.map(({ docId }: any) => docId)).toEqual(['first']);
    await svc.json('tenant', 'resume', 'other', '--reason', 'it is over');
  });
});

describe('svc tenant, where something is wrong', { timeout: 240_000 }, () => {
  it.each([
    [1, ['set-tier', 'nobody', 'pro'], 'There is no tenant nobody'],
    [1, ['suspend', 'nobody', '--reason', 'x'], 'There is no tenant nobody'],
    [1, ['show', 'nobody'], 'There is no tenant nobody'],
    [1, ['export', 'nobody', 'FILE'], 'There is no tenant nobody'],
    [1, ['erase', 'nobody', '--now'], 'There is no tenant nobody'],
    [1, ['suspend', 'svc-discovery', '--reason', 'x'], 'it stays as it is'],
    [1, ['delete', 'svc-discovery', '--yes'], 'it stays as it is'],
    [1, ['erase', 'other', '--now'], 'other is active; delete it first'],
    [2, ['suspend', 'other'], '--reason'],
    [2, ['resume', 'other', '--reason', ' '], 'Say it in 1 to 2000'],
    [2, ['set-tier', 'other', 'gold'], 'free, starter, pro, team'],
    [2, ['delete', 'other'], 'svc tenant delete other --yes'],
    [2, ['erase', 'other'], 'svc tenant erase other --now'],
  ])('ends with %i: %j', async (code, args, message) => {
    const named = args.map((arg) => (arg === 'FILE' ? `${svc.folder}/none.jsonl` : arg));
    const { stderr, stdout, ...ended } = await svc.run('tenant', ...named, '--json');
    expect([ended.code, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
  });

  it('shows what stands of a tenant', async () => {
    const shown = await svc.json('tenant', 'show', 'acme');
    expect(shown).toMatchObject({
      ...{ tenant_id: 'acme', tier: 'team', state: 'active', implicit: false, erase_after: null },
      ...{ seats: { active: 2, pending: 1 }, keys: 3, agents: 1, documents: 2 },
    });
    expect([shown.storage_bytes > 10_000, shown.rows > 50, shown.facts > 0]).toEqual([true, true, true]);
    expect(shown.credits).toEqual({ allowance: expect.any(Number), earnings: 0, agents: 0, escrow: 100 });
    expect((await svc.run('tenant', 'show', 'acme')).stdout).toMatch(/^tenant +acme\ntier +team\n/);
  });
});

describe('a change of tier', { timeout: 240_000 }, () => {
  it('holds in every process within a second, raises the allowance at once and never lowers it within a month', async () => {
    const small = await api.addTenant('small', 'free');
    const elsewhere = caller(second.url, small.tenantId, small.apiKey);
    const balance = async (call = small.call) => (await call('GET', '/v1/credits/a')).body.balance;
    expect([await balance(), await balance(elsewhere)]).toEqual([500, 500]);
    expect((await elsewhere('GET', '/v1/watches')).status).toBe(403);

    expect(await svc.json('tenant', 'set-tier', 'small', 'pro')).toMatchObject({ tier: 'pro', changed: true });
    await sleep(WITHIN_MS / 2);
    expect([await balance(elsewhere), await balance()]).toEqual([20_000, 20_000]);
    expect((await elsewhere('GET', '/v1/watches')).status).toBe(200);

    await svc.json('tenant', 'set-tier', 'small', 'free');
    await sleep(WITHIN_MS / 2);
    expect([await balance(elsewhere), await balance()]).toEqual([20_000, 20_000]);
    expect((await elsewhere('GET', '/v1/watches')).status).toBe(403);
    expect((await small.call('GET', '/v1/org/seats')).body.billing.includedSeats).toBe(1);
    expect((await svc.json('tenant', 'set-tier', 'small', 'free')).changed).toBe(false);
  });
});
