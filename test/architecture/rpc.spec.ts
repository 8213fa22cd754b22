import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from '../../src/common/contract/tool-names.js';
import type { Credential } from '../../src/common/keys/tool-callers.js';
import { RPC_CODES, RpcFailure } from '../../src/rpc/json-rpc.js';
import type { Peer } from '../../src/rpc/peer.js';
import { RpcServer } from '../../src/rpc/rpc.server.js';
import { codeOf } from '../../src/rpc/tools/tool-errors.js';
import { makeServiceTools } from '../../src/rpc/tools/service-tools.js';
import { send, startApi, type TestApi } from '../kit/app.js';
import { startTools, type TestTools } from '../kit/tools.js';

let api: TestApi;
let tools: TestTools;
let server: RpcServer;

beforeAll(async () => {
  const env = { FEATURE_SELF_SIGNUP: '1' };
  api = await startApi({ env });
  tools = await startTools(api, { env: { ...env, SVC_TOOLS_RATE_LIMIT: '0' } });
  server = tools.app.get(RpcServer);
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const TRANSPORTS: Peer['transport'][] = ['http', 'stream', 'stdio', 'nats', 'mcp'];

const peer = (transport: Peer['transport'], isPublic: boolean, credential: Credential = {}): Peer => ({
  transport,
  isPublic,
  credential,
  clientAddress: '127.0.0.1',
  requestId: 'of-the-test',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
});

const methods = () => [...server.getHandlers().keys()];

/** The failure of a call; 0: it was let in, and has a result. */
async function codeOfCall(method: string, params: object, by: Peer): Promise<number> {
  try {
    await server.invoke(method, params, by);
    return 0;
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    expect([method, typeof error.message, error.data?.request_id]).toEqual([method, 'string', 'of-the-test']);
    return error.code;
  }
}

/** Arguments under which what is asked for cannot be the reason to refuse. */
const paramsFor = (method: string) => (method === 'tools/call' ? { name: 'query_vault', arguments: {} } : {});

describe('the methods', () => {
  it('are the tools, and the two by which clients find and call them', () => {
    const names = [...TOOL_NAMES, ...AGENT_TOOL_NAMES, ...DAEMON_TOOL_NAMES, 'tools/list', 'tools/call'];
    expect(methods().sort()).toEqual(names.sort());
  });

  it.each(TRANSPORTS)('refuse a peer without a credential that comes by %s', async (transport) => {
    const credentials: Credential[] = [
      {},
      { tenantId: 'acme' },
      { apiKey: api.tenant.apiKey },
      { tenantId: 'acme', apiKey: `${api.tenant.apiKey}x` },
      { tenantId: 'umbrella', apiKey: api.tenant.apiKey },
      { bearer: 'svc_self_nobody.at-all' },
      ...(transport === 'mcp' ? [] : [{ bearer: api.tenant.apiKey }]),
    ];
    for (const credential of credentials)
      for (const method of methods()) {
        const code = await codeOfCall(method, paramsFor(method), peer(transport, false, credential));
        expect([method, credential, code]).toEqual([method, credential, RPC_CODES.unauthorized]);
      }
  });

  it.each(TRANSPORTS)('answer a public peer that comes by %s two tools alone', async (transport) => {
    // Also one that brings a credential: where it is public, none is looked at.
    for (const credential of [{}, { tenantId: 'acme', apiKey: api.tenant.apiKey }]) {
      const refused: string[] = [];
      for (const method of methods())
        if ((await codeOfCall(method, paramsFor(method), peer(transport, true, credential))) === RPC_CODES.unauthorized)
          refused.push(method);
      const open = ['register_agent', 'request_sponsor', 'tools/list'];
      expect(methods().filter((method) => !refused.includes(method))).toEqual(open);
    }
  });

  it('let in callers with a credential, and say what is missing', async () => {
    const known = { tenantId: 'acme', apiKey: api.tenant.apiKey };
    expect(await codeOfCall('get_watches', {}, peer('http', false, known))).toBe(0);
    expect(await codeOfCall('query_vault', {}, peer('http', false, known))).toBe(RPC_CODES.invalidParams);
  });
});

describe('the codes', () => {
  it('of every tool are those of the golden table: a difference here is another answer to agents', async () => {
    const routes = new Map(api.app.get(RouteManifest).routes.map((route) => [route.address, route]));
    const codesOfTools = makeServiceTools().tools.map(({ definition, addresses }) => {
      const problems = addresses.flatMap(({ address }) => routes.get(address)!.problems);
      const lines = problems.map(({ status, type }) => `${codeOf(status, type)} ${status} ${type}`);
      return { name: definition.name, lines: [...new Set(lines)].sort() };
    });
    const shared = codesOfTools[0]!.lines.filter((line) => codesOfTools.every(({ lines }) => lines.includes(line)));
    const lines = [{ name: 'every tool', lines: shared }, ...codesOfTools].flatMap(({ name, lines: own }) => [
      name,
      ...own.filter((line) => name === 'every tool' || !shared.includes(line)).map((line) => `  ${line}`),
    ]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/tool-codes.txt');
  });

  it('leave nothing that a caller can act on as an internal error', () => {
    const known = new Set<number>(Object.values(RPC_CODES));
    for (const { address, problems } of api.app.get(RouteManifest).routes)
      for (const { status, type } of problems) {
        const code = codeOf(status, type);
        expect([address, type, known.has(code)]).toEqual([address, type, true]);
        // A verb that the address does not have is none that a caller of a tool has chosen.
        const isOurs = status === 500 || status === 405;
        expect([address, type, code === RPC_CODES.internalError]).toEqual([address, type, isOurs]);
      }
  });
});

describe('the definitions', () => {
  it('are the same in the capabilities, in both lists of tools, and digested alike', async () => {
    const { tenantId, apiKey } = api.tenant;
    const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const { body: capabilities } = await send(tools.url, 'GET', '/capabilities', undefined, headers);
    const plain = (await send(tools.url, 'POST', '/rpc', rpc, headers)).body.result.tools;
    const client = new Client({ name: 'conformance', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const url = new URL('/mcp?tool_set=all', tools.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const listed = await client.listTools();
    await client.close();

    const digest = (value: unknown) => `sha256:${createHash('sha256').update(canonicalize(value)!).digest('hex')}`;
    const definitionOf = ({ name, title, description, inputSchema, outputSchema, annotations }: any) => ({
      ...{ name, title, description, inputSchema, outputSchema, annotations },
    });
    const wanted = capabilities.tools.map(definitionOf);
    expect(plain).toEqual(wanted);
    expect(listed.tools.map(definitionOf)).toEqual(wanted);
    const digests = wanted.map(digest);
    expect(capabilities.tools.map((tool: any) => tool.digest)).toEqual(digests);
    expect(listed.tools.map(({ _meta }) => _meta!['svc/digest'])).toEqual(digests);
    expect([capabilities.digest, listed._meta!['svc/digest']]).toEqual([digest(digests), digest(digests)]);
  });
});
