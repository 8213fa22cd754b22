import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from '../../../src/common/contract/tool-names.js';
import { send } from '../../kit/app.js';
import { startAgent, type CallTool, type TestAgent } from '../../kit/agent.js';
import { LineClient } from '../rpc/line-client.js';

const NO_FILE = 'asks for a file, and a tool answers JSON: leave it out';

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

  it('rejects what would be answered by a file, and goes on', async () => {
    const { tenantId, apiKey } = agent.api.tenant;
    const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
    const must = async (path: string, body: object) =>
      expect((await send(agent.daemon.url, 'POST', path, body, headers)).status).toBeLessThan(300);
    await must('/v1/projects', { id: 'p1', default_passport_id: 'ada' });
    await must('/v1/projects/p1/storybook', {});
    const given = { project_id: 'p1', format: 'markdown' };
    for (const { name, call } of endpoints) {
      const { isError, text } = await call('read_storybook', given);
      expect([name, isError, text]).toEqual([name, true, expect.stringContaining(`.format: ${NO_FILE}`)]);
    }
    const lines = [
      ...['markdown', 'html', 'zip'].map((format) => ({ name: 'read_storybook', arguments: { ...given, format } })),
      { name: 'read_storybook', arguments: { project_id: 'p1' } },
    ].map((params, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    const plain = { jsonrpc: '2.0', id: 4, method: 'read_storybook', params: given };
    const answers: any[] = (await send(agent.tools.url, 'POST', '/rpc', [...lines, plain], headers)).body;
    const noFile = expect.objectContaining({ code: -32602, message: `params.format: ${NO_FILE}` });
    const expected = [noFile, noFile, noFile, undefined, noFile];
    expect(answers.map(({ error }) => error)).toEqual(expected);
    const client = new LineClient(agent.tools.url, headers).send(
      ...[...lines, plain].map((one) => JSON.stringify(one)),
    );
    const streamed = (await client.end().rest()).sort((a, b) => a.id - b.id);
    expect(streamed.map(({ error }) => error)).toEqual(expected);
  });

  it('calls by more_tools what must be given the tenant, as it lists it: without', async () => {
    for (const { name, call } of endpoints) {
      const listed = await call('more_tools', { set: 'evidence' });
      expect([name, listed.text]).toEqual([name, expect.stringContaining('verify_receipt(receipt_id)')]);
      const { receipt_id } = (await call('remember', { entity: 'e', key: 'k', value: name })).data;
      const given = { receipt_id: receipt_id.replace('receipt:', '') };
      const { text, isError } = await call('more_tools', { tool: 'verify_receipt', arguments: given });
      expect([name, isError, text]).toEqual([name, false, expect.stringContaining('"verified":true')]);
      const other = { ...given, tenant_id: 'umbrella' };
      expect((await call('more_tools', { tool: 'verify_receipt', arguments: other })).text).not.toContain(
        '"verified":true',
      );
    }
  });

  it('says of what is switched off what switches it on, however the daemon answers that', async () => {
    for (const { name, call } of endpoints) {
      for (const [tool, given, feature] of [
        [
          'open_step',
          { session_id: 's', actor: 'ada', label: 'x', ts_start: new Date().toISOString() },
          'SVCD_OBSERVE',
        ],
        ['acquire_path', { resource: 'src', mode: 'write' }, 'SVCD_PUNCHCARD'],
        ['extract_memories', { text: 'x' }, 'SVCD_'],
      ] as const) {
        const { error, isError } = await call(tool, given);
        expect([name, tool, isError, error?.code]).toEqual([name, tool, true, -32008]);
        expect(error.data.feature).toContain(feature);
        expect(error.message).toContain(`set ${error.data.feature}=`);
      }
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
