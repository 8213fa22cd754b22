import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { ToolCallers, type Credential } from '../../../src/common/keys/tool-callers.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';

const CHOSEN = 'a key that two tenants chose';

let api: TestApi;
let tools: TestTools;
let second: TestTools;
let other: TestTenant;
let agent: { sessionToken: string; agentPrincipalId: string };

beforeAll(async () => {
  api = await startApi({ env: { SVC_JOBS: '0', FEATURE_SELF_SIGNUP: '1' } });
  [tools, second] = [await startTools(api), await startTools(api)];
  other = await api.addTenant('umbrella');
  agent = (await send(api.url, 'POST', '/v1/agents/register', { agentFramework: 'test' })).body;
  for (const tenantId of ['acme', 'umbrella']) await keys((store) => store.createKey(tenantId, CHOSEN));
});
afterAll(async () => {
  await second.close();
  await tools.close();
  await api.close();
});

const keys = <T>(work: (store: TenantsStore) => Promise<T>) => TenantsStore.using({ ownerUrl: api.database.url }, work);

/** Who the credential is found to be: `<tenant> <kind of principal>`, nobody, or the problem. */
async function whoIs(
  credential: Credential,
  takes: { agents?: true; bearerKeys?: true } = { agents: true, bearerKeys: true },
): Promise<string> {
  try {
    const found = await tools.app.get(ToolCallers).find(credential, takes);
    return found ? `${found.tenantId} ${found.principal.split(':')[0]}` : 'nobody';
  } catch (error) {
    return `${(error as Error).constructor.name}: ${(error as Error).message}`;
  }
}

const authorized = (bearer: string) => ({ authorization: `Bearer ${bearer}` });
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const rpc = (headers: Record<string, string>, url = tools.url) => send(url, 'POST', '/rpc', listTools, headers);
const mcp = (headers: Record<string, string>, url = tools.url) =>
  send(url, 'POST', '/mcp', listTools, { accept: 'application/json, text/event-stream', ...headers });
const statuses = async (headers: Record<string, string>): Promise<number[]> =>
  Promise.all(
    [send(tools.url, 'GET', '/capabilities', undefined, headers), rpc(headers), mcp(headers)].map(
      async (answer) => (await answer).status,
    ),
  );

describe('a caller of the tool service', () => {
  it('is found by tenant and key, which decide over a bearer', async () => {
    const { tenantId, apiKey } = api.tenant;
    expect(await whoIs({ tenantId, apiKey })).toBe('acme key');
    expect(await whoIs({ tenantId, apiKey, bearer: agent.sessionToken })).toBe('acme key');
    expect(await whoIs({ tenantId, apiKey: 'wrong', bearer: apiKey })).toBe('nobody');
    expect(await whoIs({ tenantId: other.tenantId, apiKey })).toBe('nobody');
    expect(await whoIs({ tenantId: 'ac\0me', apiKey })).toBe('nobody');
    expect(await whoIs({ apiKey })).toBe('nobody');
    expect(await whoIs({ tenantId })).toBe('nobody');
    expect(await whoIs({})).toBe('nobody');
  });

  it('is found by a key alone, where a bearer may be one', async () => {
    const { apiKey: bearer } = api.tenant;
    expect(await whoIs({ bearer })).toBe('acme key');
    expect(await whoIs({ bearer: other.apiKey })).toBe('umbrella key');
    expect(await whoIs({ bearer, tenantId: 'acme' })).toBe('acme key');
    expect(await whoIs({ bearer, tenantId: 'umbrella' })).toMatch(/^Forbidden: .*x-tenant-id/);
    expect(await whoIs({ bearer }, { agents: true })).toBe('nobody');
    for (const wrong of [`${bearer}x`, bearer.slice(0, -1), bearer.slice(0, 21), 'svc_key_', 'x', '%'])
      expect([wrong, await whoIs({ bearer: wrong })]).toEqual([wrong, 'nobody']);
    expect(await whoIs({ bearer: `${bearer}x`, tenantId: 'acme' })).toBe('nobody');
  });

  it('is not guessed when two tenants have the key', async () => {
    expect(await whoIs({ bearer: CHOSEN })).toMatch(/^Unauthorized: .*send x-tenant-id/);
    expect(await whoIs({ bearer: CHOSEN, tenantId: 'umbrella' })).toBe('umbrella key');
    expect(await whoIs({ bearer: CHOSEN, tenantId: 'acme' })).toBe('acme key');
    expect(await whoIs({ bearer: CHOSEN, tenantId: 'nobody' })).toMatch(/^Unauthorized: /);
  });

  it('is an agent by its bearer, where one is taken', async () => {
    const bearer = agent.sessionToken;
    expect(await whoIs({ bearer })).toBe('svc-discovery agent');
    expect(await whoIs({ bearer, tenantId: 'svc-discovery' })).toBe('svc-discovery agent');
    expect(await whoIs({ bearer, tenantId: 'acme' })).toMatch(/^Forbidden: /);
    expect(await whoIs({ bearer }, { bearerKeys: true })).toBe('nobody');
    expect(await whoIs({ bearer: `svc_self_${'A'.repeat(64)}.${'A'.repeat(43)}` })).toBe('nobody');
  });

  it('is not found any more once its key has ended, in every process', async () => {
    const made = await keys((store) => store.createKey('acme'));
    const bearer = made.key.apiKey;
    const found = async () =>
      Promise.all(
        [tools, second].map(
          async ({ app }) => (await app.get(ToolCallers).find({ bearer }, { bearerKeys: true }))?.tenantId,
        ),
      );
    expect([await found(), await found()]).toEqual([
      ['acme', 'acme'],
      ['acme', 'acme'],
    ]);
    await keys((store) => store.revokeKey('acme', made.keyId));
    // Sooner than the cached verdict would expire.
    await vi.waitFor(async () => expect(await found()).toEqual([undefined, undefined]), { timeout: 4000 });
  });

  it('is not found by an expired key', async () => {
    const made = await keys((store) => store.createKey('acme'));
    await api.database.query(
      `update api_key set expires_at = now() - interval '1 second' where key_id = '${made.keyId}'`,
    );
    expect(await whoIs({ bearer: made.key.apiKey })).toBe('nobody');
    expect(await whoIs({ tenantId: 'acme', apiKey: made.key.apiKey })).toBe('nobody');
  });

  it('is looked for over the tenants once in a while, and that is counted', async () => {
    const made = await keys((store) => store.createKey('acme'));
    const count = async (): Promise<number> => {
      const text = await tools.app.get(Metrics).registry.metrics();
      return Number(/svc_cross_tenant_total\{reason="key without tenant"\} (\d+)/.exec(text)![1]);
    };
    const before = await count();
    for (let i = 0; i < 5; i++) await whoIs({ bearer: made.key.apiKey });
    expect((await count()) - before).toBe(1);
  });
});

describe('the routes of the tool service', () => {
  it('take the credentials that they declare: /capabilities, /rpc, /mcp', async () => {
    const { tenantId, apiKey } = api.tenant;
    const pair = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
    expect(await statuses(pair)).toEqual([200, 200, 200]);
    expect(await statuses(authorized(agent.sessionToken))).toEqual([401, 200, 200]);
    expect(await statuses(authorized(apiKey))).toEqual([401, 401, 200]);
    expect(await statuses({ ...authorized(apiKey), 'x-tenant-id': tenantId })).toEqual([401, 401, 200]);
    expect(await statuses({ ...authorized(agent.sessionToken), 'x-tenant-id': 'acme' })).toEqual([401, 403, 403]);
    expect(await statuses({ ...authorized(apiKey), 'x-tenant-id': 'umbrella' })).toEqual([401, 401, 403]);
    const wrongs: Record<string, string>[] = [
      {},
      { 'x-tenant-id': tenantId },
      { 'x-api-key': apiKey },
      { ...pair, 'x-api-key': 'wrong' },
    ];
    for (const wrong of wrongs) expect(await statuses(wrong)).toEqual([401, 401, 401]);
  });

  it('never take a cookie', async () => {
    const { tenantId, apiKey } = api.tenant;
    const opened = await send(api.url, 'POST', '/frontdoor/auth/connect', { tenantId, apiKey });
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    expect((await send(api.url, 'GET', '/v1/corpora', undefined, { cookie })).status).toBe(200);
    expect(await statuses({ cookie })).toEqual([401, 401, 401]);
    expect(await statuses({ cookie, 'x-tenant-id': tenantId })).toEqual([401, 401, 401]);
  });

  it('say what to send instead', async () => {
    const detailOf = async (answer: Promise<{ body: any }>): Promise<string> => (await answer).body.detail;
    expect(await detailOf(send(tools.url, 'GET', '/capabilities'))).toBe(
      'Send x-tenant-id and x-api-key of the same tenant',
    );
    expect(await detailOf(rpc({}))).toContain('Authorization: Bearer with the sessionToken of an agent');
    expect(await detailOf(rpc(authorized('svc_self_x')))).toContain('let the agent register again');
    expect(await detailOf(rpc(authorized(CHOSEN)))).toContain('Send x-tenant-id and x-api-key');
  });

  it('name their credentials in the OpenAPI document, and no others', async () => {
    const { body } = await send(tools.url, 'GET', '/openapi.json');
    const kinds = (path: string, verb: string): string[] =>
      body.paths[path][verb].security.map((one: object) => Object.keys(one).join('+'));
    expect(kinds('/capabilities', 'get')).toEqual(['tenantId+apiKey']);
    expect(kinds('/rpc', 'post')).toEqual(['tenantId+apiKey', 'selfSignup']);
    expect(kinds('/mcp', 'post')).toEqual(['tenantId+apiKey', 'selfSignup', 'bearerKey']);
    expect(kinds('/rpc/public', 'post')).toEqual([]);
    expect(Object.keys(body.components.securitySchemes).sort()).toEqual([
      'apiKey',
      'bearerKey',
      'selfSignup',
      'tenantId',
    ]);
  });
});
