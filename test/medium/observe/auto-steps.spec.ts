import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { asSuperuser } from '../../kit/database.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let api: TestApi;
let daemon: TestDaemon;
beforeAll(async () => {
  api = await startApi({ env: { SVCD_OBSERVE: '1' } });
  daemon = await startDaemon({ database: api.database, env: { SVCD_OBSERVE: '1' } });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const AT = { label: 'Run', actor: 'agent:a', ts_start: '2026-11-23T09:00:00Z' };
const by = (tenant: string) => daemon.as({ scopes: 'admin:read admin:write', tenant });
const root = async (session: string, tenant: string, more: object = {}) => {
  const { status } = await by(tenant)('POST', `/v1/observe/sessions/${session}/steps`, {
    ...{ ...AT, node_id: 'root', auto: true },
    ...more,
  });
  expect(status).toBe(200);
};
const stepsOf = async (session: string, tenant: string): Promise<any[]> =>
  (await by(tenant)('GET', `/v1/observe/sessions/${session}/audit?parent_id=root`)).body.steps;
const naming = (session: string) => ({ 'x-svc-session-id': session });

describe('facts that name a session', () => {
  it('become a step with their receipt, where the session asked for it', async () => {
    const call = by('facts-a');
    await root('f1', 'facts-a');
    const { body } = await call('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' }, naming('f1'));
    const [step, ...others] = await stepsOf('f1', 'facts-a');
    expect([step.kind, step.label, step.receipt_id, step.mutation_receipt_id, step.auto, step.status, others]).toEqual([
      ...['memory', 'fact.stored (1)', body.receipt_id, body.receipt_id, true, 'ok', []],
    ]);
    expect(step.outputs).toEqual([{ kind: 'fact', ref: body.fact_id, digest: null, text: null, bytes: null }]);
    await call('GET', '/v1/facts?query=v', undefined, naming('f1'));
    await call('DELETE', `/v1/facts/${body.fact_id}`, undefined, naming('f1'));
    const labels = (await stepsOf('f1', 'facts-a')).map(({ kind, label }) => [kind, label]);
    expect(labels).toEqual([
      ['memory', 'fact.stored (1)'],
      ['retrieval', 'facts.found'],
      ['memory', 'fact.retired'],
    ]);
  });

  it('of several sessions that are stored together become a step of each', async () => {
    const call = by('facts-b');
    for (const session of ['m1', 'm2']) await root(session, 'facts-b');
    const store = (n: number) =>
      call('PUT', '/v1/facts', { entity: `e${n}`, key: 'k', value: 'v' }, naming(`m${(n % 3) + 1}`));
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => store(n)));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    for (const [place, session] of ['m1', 'm2'].entries()) {
      const facts = (await stepsOf(session, 'facts-b')).flatMap(({ outputs }) => outputs.map(({ ref }: any) => ref));
      const own = answers.filter((_, n) => n % 3 === place).map(({ body }) => body.fact_id);
      expect(facts.sort()).toEqual(own.sort());
    }
  });

  it('become none where the session did not ask, another tenant did, or the step that asked is closed', async () => {
    const call = by('facts-c');
    await root('n1', 'facts-c', { auto: false });
    await root('n2', 'facts-d');
    await root('n3', 'facts-c');
    await call('PATCH', '/v1/observe/sessions/n3/steps/root', {});
    for (const session of ['n1', 'n2', 'n3', 'n4'])
      await call('PUT', '/v1/facts', { entity: 'e', key: 'k', value: session }, naming(session));
    expect([await stepsOf('n1', 'facts-c'), await stepsOf('n2', 'facts-d'), await stepsOf('n3', 'facts-c')]).toEqual([
      ...[[], [], []],
    ]);
    const rows = await daemon.database.query(`select 1 from observe_session where session_id = 'n4'`);
    expect(rows).toEqual([]);
  });

  it('become none while SVCD_OBSERVE is off', async () => {
    await root('o1', 'facts-e');
    const off = await startDaemon({ database: api.database });
    const call = off.as({ scopes: 'admin:read admin:write', tenant: 'facts-e' });
    expect((await call('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' }, naming('o1'))).status).toBe(201);
    const answer = await call('GET', '/v1/observe/sessions/o1/audit');
    expect([answer.status, answer.body]).toEqual([
      200,
      { enabled: false, flag: 'SVCD_OBSERVE', detail: expect.stringContaining('set SVCD_OBSERVE=1') },
    ]);
    await off.close();
    expect(await stepsOf('o1', 'facts-e')).toEqual([]);
  });
});

describe('retrievals of the tenant API that name a session', () => {
  it('become steps in every lane, by ids alone', async () => {
    const { tenantId, call } = api.tenant;
    await root('r1', tenantId);
    const said = { title: 't', content: 'A lighthouse on a cliff.', shareability: 'owner_only', url: 'https://x.org/' };
    const documents = [{ tenantId, corpusId: 'c', docId: 'd', ...said }];
    const { body: taken } = await call('POST', '/v1/ingest/batch', { documents }, naming('r1'));
    await expect
      .poll(async () => (await call('GET', `/v1/ingest/${taken.accepted[0].ingestId}`)).body.status, {
        timeout: 60_000,
      })
      .toBe('completed');
    for (const lane of ['light', 'verified', 'audit'])
      expect((await call('POST', '/v1/retrieve', { query: 'lighthouse', lane }, naming('r1'))).status).toBe(200);
    const steps = await stepsOf('r1', tenantId);
    expect(steps.map(({ kind }) => kind)).toEqual(['other', 'retrieval', 'retrieval', 'retrieval']);
    expect(steps[0].label).toMatch(/^ingest\./);
    expect(steps[1].outputs[0]).toMatchObject({ kind: 'chunk', digest: expect.stringMatching(/^blake3:/) });
    expect(steps[2].receipt_id).toMatch(/^blake3:/);
    expect(JSON.stringify(steps)).not.toContain('lighthouse');
  });
});

describe('calls over the MCP of the daemon that name a session', () => {
  async function callTool(
    name: string,
    given: object,
    tenant: string,
    session: string,
    scopes = 'admin:read admin:write',
  ) {
    const headers = { 'x-svc-scopes': scopes, 'x-svc-tenant-id': tenant, ...naming(session) };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
    const result = await client.callTool({ name, arguments: { ...given } });
    await client.close();
    return result as unknown as Record<string, any>;
  }
  const toolSteps = async (session: string, tenant: string) =>
    (await stepsOf(session, tenant)).filter(({ kind }) => kind === 'tool');

  it('become steps that say how they ended, without what was said', async () => {
    await root('t1', 'mcp-a');
    const stored = await callTool('store_fact', { entity: 'bolt', key: 'k', value: 'nine-inch' }, 'mcp-a', 't1');
    expect(stored.isError).toBe(false);
    await callTool('get_fact', { fact_id: '019abcde-0000-7000-8000-000000000000' }, 'mcp-a', 't1');
    await callTool('store_fact', { entity: 'bolt', key: 'k', value: 'nine-inch' }, 'mcp-a', 't1', 'query:read');
    const steps = await toolSteps('t1', 'mcp-a');
    expect(steps.map(({ label, status, auto }) => [label, status, auto])).toEqual([
      ['store_fact', 'ok', true],
      ['get_fact', 'error', true],
      ['store_fact', 'denied', true],
    ]);
    const [tool] = steps;
    expect([tool.inputs[0].ref, tool.inputs[0].digest]).toEqual([
      expect.stringMatching(/^sha256:/),
      expect.stringMatching(/^sha256:/),
    ]);
    expect(JSON.stringify(steps)).not.toContain('nine-inch');
    expect((await stepsOf('t1', 'mcp-a')).map(({ label }) => label)).toContain('fact.stored (1)');
  });

  it('are answered as they ended where that cannot be noted', async () => {
    await root('t4', 'mcp-d');
    await asSuperuser(
      daemon.database,
      `create function fail_to_end() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create trigger fail_to_end before update on observe_step for each row
        when (new.tenant_id = 'mcp-d' and new.kind = 'tool') execute function fail_to_end()`,
    );
    const stored = await callTool('store_fact', { entity: 'nut', key: 'k', value: 'v' }, 'mcp-d', 't4');
    expect(stored.isError).toBe(false);
    const denied = await callTool('store_fact', { entity: 'nut', key: 'k', value: 'w' }, 'mcp-d', 't4', 'query:read');
    expect(denied.content[0].text).toMatch(/scope/i);
    expect((await toolSteps('t4', 'mcp-d')).map(({ status }) => status)).toEqual(['open', 'open']);
  });

  it('become none in a tenant that the credential does not cover, or of a session that did not ask', async () => {
    await root('t2', 'mcp-b');
    await root('t3', 'mcp-c', { auto: false });
    const refused = await callTool('search_facts', { tenant_id: 'mcp-b', query: 'x' }, 'mcp-c', 't2', 'query:read');
    expect(refused.isError).toBe(true);
    expect((await callTool('search_facts', { query: 'x' }, 'mcp-c', 't3')).isError).toBe(false);
    expect([await stepsOf('t2', 'mcp-b'), await stepsOf('t3', 'mcp-c')]).toEqual([[], []]);
  });
});
