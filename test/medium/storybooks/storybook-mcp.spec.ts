import { Client, type ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { anchorAt, claim, dossier, makeProject, must, storeFact } from '../dossiers/given.js';

let daemon: TestDaemon;
let ada: DaemonCall;
const clients: Client[] = [];
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['acme', 'globex'] });
  ada = daemon.as({ scopes: ALL_SCOPES, passport: 'ada', tenant: 'acme' });
  await makeProject(ada, 'shop');
  await storeFact(ada, 'shop', 'decision:db', 'We use PostgreSQL.');
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await daemon.close();
});

async function connect(tenant = 'acme', scopes = ALL_SCOPES): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = {
    'x-svc-scopes': scopes,
    'x-svc-passport-id': 'ada',
    'x-svc-tenant-id': tenant,
    'x-svc-tool-set': 'projects',
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
  clients.push(client);
  return client;
}
const textOf = async (client: Client, given: Record<string, string>): Promise<string> => {
  const { messages } = await client.getPrompt({ name: 'project_start', arguments: given });
  return (messages[0]!.content as { text: string }).text;
};
const codeOf = (asked: Promise<unknown>): Promise<number> =>
  asked.then(
    () => 0,
    (error: unknown) => (error as ProtocolError).code,
  );

describe('an agent that comes to a project', () => {
  it('is handed its layers and its storybook by a prompt', async () => {
    const client = await connect();
    expect(await textOf(client, { project_id: 'shop' })).toContain('There is no storybook yet');
    await must(ada('POST', '/v1/projects/shop/planes', { id: 'api' }));
    await must(ada('PUT', '/v1/projects/shop/layers/style', { content: 'Use tabs.' }));
    await must(ada('PUT', '/v1/projects/shop/planes/api/layers/tests', { content: 'Test first.' }));
    await must(ada('POST', '/v1/projects/shop/storybook'));
    const text = await textOf(client, { project_id: 'shop' });
    expect(text).toMatch(/^You work on the project shop\. How work is done here:\n\nUse tabs\.\n/);
    expect(text).toContain('Decided, decision:db: We use PostgreSQL.');
    expect(text).not.toContain('## Evidence');
    expect(await textOf(client, { project_id: 'shop', plane_id: 'api' })).toContain('Test first.');
  });

  it('is answered what is wrong: no project named, one that there is not, not a name, another tenant, no right', async () => {
    const client = await connect();
    for (const given of [{}, { project_id: 'none' }, { project_id: '../facts' }])
      expect([given, await codeOf(textOf(client, given as Record<string, string>))]).toEqual([given, -32602]);
    expect(await codeOf(connect('globex').then((other) => textOf(other, { project_id: 'shop' })))).toBe(-32602);
    expect(await codeOf(connect('acme', 'query:read').then((other) => textOf(other, { project_id: 'shop' })))).toBe(
      -32600,
    );
  });

  it('reads the storybook by a tool, whole or a section, never as a file', async () => {
    const client = await connect();
    const read = (more: object): Promise<any> =>
      client.callTool({ name: 'read_storybook', arguments: { project_id: 'shop', ...more } });
    const { structuredContent: whole } = await read({});
    expect(whole).toMatchObject({ project_id: 'shop', section_count: 8 });
    const { structuredContent: part } = await read({ section: 'decisions', claims: true });
    expect(part).toMatchObject({ sections: [{ id: 'decisions', claims: [{ anchors: [{ kind: 'fact' }] }] }] });
    const file = await read({ format: 'zip' });
    expect([file.isError, file.content[0].text]).toEqual([true, expect.stringContaining('asks for a file')]);
    const none: any = await client.callTool({ name: 'read_storybook', arguments: { project_id: 'none' } });
    expect([none.isError, none.content[0].text]).toEqual([true, expect.stringContaining('project-unknown')]);
  });

  it('publishes a dossier by a tool, in which the project is named once', async () => {
    const client = await connect();
    const { fact_id: id } = await storeFact(ada, 'shop', 'port', 'It is 80.');
    const sent = dossier('shop', 'by-tool', [claim('port', anchorAt('fact', id, 'It is 80.', '80'))]);
    const call = (body: object): Promise<any> => client.callTool({ name: 'publish_dossier', arguments: { ...body } });
    expect((await call(sent)).structuredContent).toMatchObject({ stored: true, dossier_id: 'by-tool', claim_count: 1 });
    expect((await call(sent)).structuredContent).toMatchObject({ stored: false });
    expect((await must(ada('GET', '/v1/projects/shop/dossiers/by-tool'))).stats).toMatchObject({ supported: 1 });
    const lost: any = await call(dossier('shop', 'lost', [claim('a', { kind: 'fact', id: 'none' })]));
    expect([lost.isError, lost.content[0].text]).toEqual([
      true,
      expect.stringContaining('body.claims[0].anchors[0].id'),
    ]);
    const { tools } = await client.listTools();
    const { required } = tools.find(({ name }) => name === 'publish_dossier')!.inputSchema as { required: string[] };
    expect(required.filter((name) => name === 'project_id')).toHaveLength(1);
  });
});
