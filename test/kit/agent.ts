import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startApi, type TestApi, type TestApiOptions, type TestTenant } from './app.js';
import { startDaemon, type TestDaemon } from './daemon.js';
import { startTools, type TestTools } from './tools.js';

/** What a tool answered. */
interface ToolAnswer {
  /** What a model reads. */
  text: string;
  data: any;
  isError: boolean;
  /** What programs find of a failure. */
  error?: any;
}
export type CallTool = (name: string, given?: object) => Promise<ToolAnswer>;

/** The three servers on one database, and an agent that speaks MCP to the tool service. */
export interface TestAgent {
  api: TestApi;
  daemon: TestDaemon;
  tools: TestTools;
  /** As the first tenant's key. */
  call: CallTool;
  /** A document of the first tenant, once it is searchable. */
  ingest(docId: string, content: string, more?: object): Promise<void>;
  /** As another tenant, or at another endpoint. */
  connect(tenant: Pick<TestTenant, 'tenantId' | 'apiKey'>, url?: string): Promise<{ client: Client; call: CallTool }>;
  close(): Promise<void>;
}

/** @param env of all three servers */
export async function startAgent({ env = {}, ...options }: TestApiOptions = {}): Promise<TestAgent> {
  const api = await startApi({ ...options, env });
  const daemon = await startDaemon({ database: api.database, env: { SVC_API_URL: api.url, ...env } });
  const tools = await startTools(api, { env: { SVC_DAEMON_URL: daemon.url, SVC_TOOLS_RATE_LIMIT: '0', ...env } });
  const clients: Client[] = [];
  const connect: TestAgent['connect'] = async ({ tenantId, apiKey }, url = `${tools.url}/mcp`) => {
    const client = new Client({ name: 'agent', version: '1' });
    const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    clients.push(client);
    return { client, call: (name, given = {}) => callTool(client, name, given) };
  };
  const { call } = await connect(api.tenant);
  return {
    ...{ api, daemon, tools, call, connect },
    ingest: (docId, content, more = {}) => ingest(api.tenant, { docId, title: docId, content, ...more }),
    close: async () => {
      for (const client of clients) await client.close();
      await tools.close();
      await daemon.close();
      await api.close();
    },
  };
}

/** @param document in the corpus `notes` unless it names another */
async function ingest(
  { call, tenantId }: TestTenant,
  document: { docId: string; title: string; content: string },
): Promise<void> {
  const url = `https://example.org/${document.docId}`;
  const body = { tenantId, corpusId: 'notes', url, ...document };
  const accepted = await call('POST', '/v1/ingest', body, { 'x-idempotency-key': randomUUID() });
  if (accepted.status !== 202) throw new Error(accepted.text);
  for (;;) {
    const { body: ingest } = await call('GET', `/v1/ingest/${accepted.body.ingestId}`);
    if (ingest.status === 'completed') return;
    if (ingest.status === 'failed') throw new Error(ingest.error);
    await sleep(50);
  }
}

export async function callTool(client: Client, name: string, given: object): Promise<ToolAnswer> {
  const { content, structuredContent, isError, _meta } = await client.callTool({ name, arguments: { ...given } });
  const [part] = content;
  const text = part?.type === 'text' ? part.text : '';
  return { text, data: structuredContent, isError: isError === true, error: _meta?.['svc/error'] };
}
