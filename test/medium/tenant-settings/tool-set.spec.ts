import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { TOOL_SETS } from '../../../src/common/contract/tool-sets.js';
import { startAgent, type TestAgent } from '../../kit/agent.js';
import { caller, type TestTenant } from '../../kit/app.js';
import { startDaemon } from '../../kit/daemon.js';
import { claims, hs256, HS256_ENV } from '../daemon-auth/given.js';
import { givenMember } from '../seats/given.js';

let agent: TestAgent;
let urls: string[];
beforeAll(async () => {
  agent = await startAgent();
  urls = [`${agent.tools.url}/mcp`, agent.daemon.mcpUrl];
}, 120_000);
afterAll(() => agent.close());

const names = (tools: { name: string }[]) => tools.map(({ name }) => name);
const choose = (tenant: TestTenant, toolSet: unknown) => tenant.call('PUT', '/v1/org/settings', { toolSet });
const listAt = async (url: string, tenant: TestTenant) =>
  names((await (await agent.connect(tenant, url)).client.listTools()).tools);
const callTools = () => caller(agent.tools.url, agent.api.tenant.tenantId, agent.api.tenant.apiKey);
const rpc = async (params?: object) => {
  const call = callTools();
  return (await call('POST', '/rpc', { jsonrpc: '2.0', id: 1, method: 'tools/list', params })).body;
};
const capabilities = async (query = '') => (await callTools()('GET', `/capabilities${query}`)).body;

describe('the setting of a tenant', () => {
  it('is null until it is set; each change leaves an event and a receipt, and a repeat leaves nothing', async () => {
    const tenant = await agent.api.addTenant('fresh');
    expect((await tenant.call('GET', '/v1/org/settings')).body).toEqual({ toolSet: null });
    expect((await choose(tenant, null)).body).toEqual({ toolSet: null });
    for (const set of ['memory', 'memory', 'all', null]) expect((await choose(tenant, set)).body.toolSet).toBe(set);
    expect((await tenant.call('GET', '/v1/org/settings')).body).toEqual({ toolSet: null });
    const events = await agent.api.database.query<{ data: { toolSet: string | null } }>(
      `select data from outbox_event where tenant_id = 'fresh' and kind = 'settings.changed' order by position`,
    );
    expect(events.map(({ data }) => data)).toMatchObject([
      { toolSet: 'memory', formerToolSet: null },
      { toolSet: 'all', formerToolSet: 'memory' },
      { toolSet: null, formerToolSet: 'all' },
    ]);
    const receipts = await agent.api.database.query(
      `select 1 from receipt where tenant_id = 'fresh' and kind = 'settings.changed'`,
    );
    expect(receipts).toHaveLength(3);
  });

  it('refuses what is no set, naming those there are, and whoever is no owner or admin', async () => {
    const { tenant } = agent.api;
    for (const bad of ['none', 3, {}]) {
      const { status, text } = await choose(tenant, bad);
      expect([status, text]).toEqual([400, expect.stringMatching(/toolSet.*default.*memory/)]);
    }
    expect((await tenant.call('PUT', '/v1/org/settings', {})).status).toBe(400);
    const member = await givenMember(agent.api.url, tenant, 'member');
    expect((await member.call('PUT', '/v1/org/settings', { toolSet: 'all' })).status).toBe(403);
    const admin = await givenMember(agent.api.url, tenant, 'admin');
    expect((await admin.call('GET', '/v1/org/settings')).status).toBe(200);
  });

  it('holds at once at both MCP endpoints, for that tenant alone', async () => {
    const [tenant, other] = [agent.api.tenant, await agent.api.addTenant('other')];
    for (const set of ['memory', 'economy', null, 'memory']) {
      await choose(tenant, set);
      for (const url of urls) {
        await expect.poll(() => listAt(url, tenant)).toEqual([...TOOL_SETS[set ?? 'default']!]);
        expect([url, await listAt(url, other)]).toEqual([url, [...AGENT_TOOL_NAMES]]);
        expect(await listAt(`${url}?tool_set=proofs`, tenant)).toContain('get_proofpack');
      }
    }
    await choose(tenant, null);
  });

  it('is that of the one tenant of a token, and of nobody whose tenant is not known', async () => {
    const { database, tenant, url } = agent.api;
    const proving = await startDaemon({ database, env: { ...HS256_ENV, SVC_API_URL: url } });
    await choose(tenant, 'work');
    const token = (more: object) => hs256(claims({ scope: 'query:read', ...more }));
    const listAs = async (headers: Record<string, string>) => {
      const client = new Client({ name: 'agent', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(proving.mcpUrl), { requestInit: { headers } }));
      const { tools } = await client.listTools();
      await client.close();
      return names(tools);
    };
    const ofOne = { authorization: `Bearer ${await token({ tenant_id: tenant.tenantId })}` };
    await expect.poll(() => listAs(ofOne)).toEqual([...TOOL_SETS['work']!]);
    for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[])
      expect(await listAs(headers)).toEqual([...AGENT_TOOL_NAMES]);
    await proving.close();
    await choose(tenant, null);
  });

  it('counts as none where it names a set that there is no more', async () => {
    const tenant = await agent.api.addTenant('late');
    await agent.api.database.query(
      `insert into tenant_setting (tenant_id, tool_set, changed_by) values ('late', 'former', 'operator')`,
    );
    expect((await tenant.call('GET', '/v1/org/settings')).body).toEqual({ toolSet: null });
    for (const url of urls) expect(await listAt(url, tenant)).toEqual([...AGENT_TOOL_NAMES]);
  });
});

describe('plain JSON-RPC and GET /capabilities', () => {
  it('list the tools of both servers, whatever is set, and another set where it is named', async () => {
    await choose(agent.api.tenant, 'memory');
    const all = [...TOOL_NAMES, ...DAEMON_TOOL_NAMES];
    expect(names((await rpc()).result.tools)).toEqual(all);
    expect(names((await rpc({ tool_set: 'api' })).result.tools)).toEqual([...TOOL_NAMES]);
    expect(names((await rpc({ tool_set: 'daemon' })).result.tools)).toEqual([...DAEMON_TOOL_NAMES]);
    const whole = await capabilities();
    expect([names(whole.tools), await capabilities('?tool_set=all')]).toEqual([all, whole]);
    const shown = await capabilities('?tool_set=default');
    expect(names(shown.tools)).toEqual([...AGENT_TOOL_NAMES]);
    expect(shown.digest).not.toBe(whole.digest);
    expect(shown.tools.every(({ route }: { route: string }) => /^[A-Z]+ \/\w/.test(route))).toBe(true);
    await choose(agent.api.tenant, null);
  });

  it('refuse what is no set, naming those there are', async () => {
    for (const bad of ['none', 3]) {
      const { error } = await rpc({ tool_set: bad });
      expect([error.code, JSON.stringify(error)]).toEqual([
        -32602,
        expect.stringMatching(/params\.tool_set.*must be one of default, all/),
      ]);
    }
    const refused = await capabilities('?tool_set=none');
    expect([refused.type, JSON.stringify(refused)]).toEqual([
      'ValidationFailed',
      expect.stringMatching(/tool_set.*default, all/),
    ]);
  });
});
