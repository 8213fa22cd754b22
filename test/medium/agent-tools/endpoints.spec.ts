import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { startAgent, type CallTool, type TestAgent } from '../../kit/agent.js';

let agent: TestAgent;
const endpoints: { name: string; url: string; call: CallTool }[] = [];
beforeAll(async () => {
  agent = await startAgent();
  const urls = { 'tool service': `${agent.tools.url}/mcp`, daemon: agent.daemon.mcpUrl };
  for (const [name, url] of Object.entries(urls)) {
    const { call } = await agent.connect(agent.api.tenant, url);
    endpoints.push({ name, url, call });
  }
  await agent.ingest('skerryvore', 'The lighthouse was lit in 1844.');
}, 120_000);
afterAll(() => agent.close());

const names = (tools: { name: string }[]) => tools.map(({ name }) => name);
const listAt = async (url: string, set?: string) => {
  const { client } = await agent.connect(agent.api.tenant, set === undefined ? url : `${url}?tool_set=${set}`);
  return names((await client.listTools()).tools);
};

describe('either MCP endpoint', () => {
  it('lists the default set, and others when they are asked for', async () => {
    for (const { name, url } of endpoints) {
      expect([name, await listAt(url)]).toEqual([name, [...AGENT_TOOL_NAMES]]);
      expect([name, await listAt(url, 'all')]).toEqual([name, [...TOOL_NAMES, ...DAEMON_TOOL_NAMES]]);
      expect([name, await listAt(url, 'economy')]).toEqual([name, expect.arrayContaining(['tip_platform'])]);
      await expect(listAt(url, 'none')).rejects.toThrow(/tool_set: must be one of default, all/);
    }
  });

  it('calls tools of both servers by name', async () => {
    for (const { name, call } of endpoints) {
      const stored = await call('store_fact', { entity: 'e', key: name, value: 'v' });
      expect([name, stored.isError, stored.data.entity]).toEqual([name, false, 'e']);
      const found = await call('query_vault', { query: 'lighthouse' });
      expect([name, found.data.results.length]).toEqual([name, 1]);
      const { text, data } = await call('search', { query: 'lighthouse' });
      expect([name, data.results.map(({ id }: { id: string }) => id.split(/[_:]/)[0])]).toEqual([
        name,
        expect.arrayContaining(['chk', 'fact']),
      ]);
      expect(text).toContain('1844');
    }
  });

  it('shows one tenant nothing of another', async () => {
    const other = await agent.api.addTenant('umbrella');
    for (const { url } of endpoints) {
      const { call } = await agent.connect(other, url);
      expect((await call('search', { query: 'lighthouse' })).data.results).toEqual([]);
      expect((await call('search_facts', {})).data.facts).toEqual([]);
    }
  });
});
