import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_CONTEXT_SURFACE: '1' } });
  ({ call } = daemon);
  for (const id of ['common', 'shop']) await must('POST', '/v1/projects', { id, default_passport_id: 'lead' });
});
afterAll(() => daemon.close());

const must = (method: string, path: string, body?: object) => sendOk(call, method, path, body);
const start = (body: object = {}) => must('POST', '/v1/memory/session-init', body);
const layersOf = async (body: object) => must('POST', '/v1/context', { task: 'Deploy', include: ['layers'], ...body });

describe('the procedure of a session', () => {
  it('is the built-in text, until the workspace has a layer of that name, until the project has one', async () => {
    const builtIn = await start({ project_id: 'shop' });
    expect(builtIn.session_procedure).toContain('search_facts');
    await must('PATCH', '/v1/projects/common', { is_default: true });
    await must('PUT', '/v1/projects/common/layers/session-procedure', { content: 'Greet everybody.' });
    for (const body of [{}, { project_id: 'shop' }]) {
      const { session_procedure, session_procedure_hash, body: text } = await start(body);
      expect([session_procedure, session_procedure_hash]).toEqual([
        'Greet everybody.',
        blake3Digest('Greet everybody.'),
      ]);
      expect(text).toContain('Greet everybody.');
    }
    await must('PUT', '/v1/projects/shop/layers/session-procedure', { content: 'Open the shop.' });
    expect((await start({ project_id: 'shop' })).session_procedure).toBe('Open the shop.');
    expect((await start()).session_procedure).toBe('Greet everybody.');
    await must('DELETE', '/v1/projects/shop/layers/session-procedure');
    await must('DELETE', '/v1/projects/common/layers/session-procedure');
    expect((await start({ project_id: 'shop' })).session_procedure).toBe(builtIn.session_procedure);
  });

  it('is of a project that there is', async () => {
    const { status, body } = await call('POST', '/v1/memory/session-init', { project_id: 'none' });
    expect([status, body.code]).toEqual([404, 'PROJECT_UNKNOWN']);
  });

  it('is read by whoever may begin a session', async () => {
    await must('PUT', '/v1/projects/shop/layers/session-procedure', { content: 'Open the shop.' });
    const agent = daemon.as({ scopes: 'sessions:read', passport: 'ada' });
    const { body } = await agent('POST', '/v1/memory/session-init', { project_id: 'shop' });
    expect(body.session_procedure).toBe('Open the shop.');
    const other = daemon.as({ scopes: 'sessions:read', passport: 'ada', tenant: 'other' });
    expect((await other('POST', '/v1/memory/session-init', { project_id: 'shop' })).body.code).toBe('PROJECT_UNKNOWN');
    await must('DELETE', '/v1/projects/shop/layers/session-procedure');
  });
});

describe('a context', () => {
  it('has the layers that hold in the project, in the workspace and in the session', async () => {
    const shop = await must('PUT', '/v1/projects/shop/layers/style', { content: 'Shop style.' });
    await must('PUT', '/v1/projects/common/layers/style', { content: 'Common style.' });
    await must('PUT', '/v1/facts', { entity: 'layer:session/s1', key: 'mood', value: 'Be brief.' });
    const { items, omitted } = await layersOf({ project_id: 'shop', session_id: 's1', details: true });
    expect(items).toMatchObject([
      { kind: 'layers', id: shop.fact_id, hash: shop.hash, text: 'Shop style.', why: 'layer style of the project' },
      { kind: 'layers', text: 'Be brief.', why: 'layer mood of the session' },
    ]);
    expect(omitted).toEqual([]);
    expect((await layersOf({})).items).toMatchObject([{ text: 'Common style.', why: 'layer style of the workspace' }]);
  });

  it('of a project that nobody created has the layers of the workspace, and says so', async () => {
    const { items, omitted } = await layersOf({ project_id: 'Board only' });
    expect(items).toMatchObject([{ text: 'Common style.' }]);
    expect(omitted).toMatchObject([{ kind: 'layers', id: 'Board only', reason: 'unknown' }]);
  });

  it('is another once a layer changes', async () => {
    const one = await layersOf({ project_id: 'shop' });
    expect((await layersOf({ project_id: 'shop' })).context_hash).toBe(one.context_hash);
    await must('PUT', '/v1/projects/shop/layers/style', { content: 'New style.' });
    expect((await layersOf({ project_id: 'shop' })).context_hash).not.toBe(one.context_hash);
  });
});

describe('the tools', () => {
  it('read a project and the layers that hold', async () => {
    const headers = { 'x-svc-scopes': 'admin:read', 'x-svc-passport-id': 'ada' };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
    const use = async (name: string, args: object): Promise<any> =>
      client.callTool({ name, arguments: args as Record<string, unknown> });
    expect((await use('read_project', { project_id: 'shop' })).structuredContent).toMatchObject({ id: 'shop' });
    const { structuredContent } = await use('effective_layers', { project_id: 'shop', layer: 'style' });
    expect(structuredContent).toMatchObject({ text: 'New style.\n', parts: [{ layer: 'style', origin: 'project' }] });
    const missing = await use('read_project', { project_id: 'none' });
    expect([missing.isError, missing._meta['svc/problem'].code]).toEqual([true, 'PROJECT_UNKNOWN']);
    await client.close();
  });
});
