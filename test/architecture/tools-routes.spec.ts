import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access, RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send, startApi, type Answer, type TestApi } from '../kit/app.js';
import { answerFaults, openApiProblems } from '../kit/openapi.js';
import { startTools, type TestTools } from '../kit/tools.js';

let api: TestApi;
let tools: TestTools;
let routes: RouteRecord[];
let text: string;
let document: any;

beforeAll(async () => {
  api = await startApi({ env: { SVC_JOBS: '0' } });
  tools = await startTools(api);
  routes = tools.app.get(RouteManifest).routes;
  ({ text, body: document } = await send(tools.url, 'GET', '/openapi.json'));
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

/** The credentials that a route declares, as the names of security schemes. */
function credentialsOf(access: Access): string[] {
  if (access.kind === 'anyone') return [];
  if (access.kind !== 'tool') throw new Error(`the tool service has no route for ${access.kind}`);
  return ['tenantId+apiKey', ...(access.agents ? ['selfSignup'] : []), ...(access.bearerKeys ? ['bearerKey'] : [])];
}

const operationOf = ({ path, verb }: RouteRecord): any => document.paths[path]?.[verb.toLowerCase()];

describe('the routes of the tool service', () => {
  it('are those of the golden manifest: a difference here is a change of who may do what', async () => {
    const lines = routes.map(({ address, access }) => `${address} | ${credentialsOf(access).join(' or ') || 'anyone'}`);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/tools-routes.txt');
  });

  it('ask for no idempotency key for the request: its calls carry their own', () => {
    expect(routes.filter(({ idempotent }) => idempotent)).toEqual([]);
  });

  it('refuse a caller without credentials, where they ask for any', async () => {
    const asking = routes.filter(({ access }) => access.kind !== 'anyone');
    const answers = asking.map(async ({ address, verb, path }) => {
      const { status, body } = await send(tools.url, verb, path, verb === 'GET' ? undefined : {});
      return [address, status, body.type];
    });
    expect(await Promise.all(answers)).toEqual(asking.map(({ address }) => [address, 401, 'Unauthorized']));
  });
});

describe('what the tool service answers', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const wrong = { jsonrpc: '2.0', id: 'x', method: 'none' };
  const notification = { jsonrpc: '2.0', method: 'tools/list' };
  const LINES = { 'content-type': 'application/x-ndjson' };
  const MCP = { accept: 'application/json, text/event-stream' };

  it.each<[string, unknown, Record<string, string>, number]>([
    ['POST /rpc', call, {}, 200],
    ['POST /rpc', [call, wrong], {}, 200],
    ['POST /rpc', '{', {}, 200],
    ['POST /rpc', notification, {}, 204],
    ['POST /rpc/public', wrong, {}, 200],
    ['POST /rpc/public', notification, {}, 204],
    ['POST /stream', call, {}, 200],
    ['POST /stream', `${JSON.stringify(call)}\n`, LINES, 200],
    ['POST /stream', notification, {}, 200],
    ['GET /capabilities', undefined, {}, 200],
    ['GET /mcp', undefined, {}, 405],
    ['DELETE /mcp', undefined, {}, 405],
    ['POST /mcp', '{', MCP, 400],
    ['POST /mcp', [], MCP, 400],
    ['POST /mcp', call, MCP, 200],
    ['POST /mcp', notification, MCP, 202],
    ['POST /mcp', call, { ...MCP, 'x-api-key': 'wrong' }, 401],
    ['POST /mcp', call, { ...MCP, origin: 'https://elsewhere.example' }, 403],
  ])('to %s %j is what its document says', async (address, body, headers, status) => {
    const [verb, path] = address.split(' ') as [string, string];
    const key = { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': api.tenant.apiKey };
    const answer = await send(tools.url, verb, path, body, { ...key, 'content-type': 'application/json', ...headers });
    expect([answer.status, answerFaults(document, address, answer)]).toEqual([status, []]);
  });

  it('to calls beyond the rate window is what its document says', async () => {
    const narrow = await startTools(api, { env: { SVC_TOOLS_RATE_LIMIT: '1' } });
    const key = { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': api.tenant.apiKey };
    const search = { jsonrpc: '2.0', id: 1, method: 'query_vault', params: { query: 'leave' } };
    for (const path of ['/rpc', '/stream']) {
      // A window may end between two calls, not between all of them.
      const answers: Answer[] = [];
      for (let n = 0; n < 4; n += 1) answers.push(await send(narrow.url, 'POST', path, search, key));
      const limited = answers.find(({ status }) => status === 429);
      expect([path, limited && answerFaults(document, `POST ${path}`, limited)]).toEqual([path, []]);
    }
    await narrow.close();
  });
});

describe('the OpenAPI document of the tool service', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await openApiProblems(text)).toEqual([]);
  });

  it('describes every route with what its guard enforces, and no other', () => {
    const described = Object.entries<any>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routes.map(({ address }) => address).sort());
    for (const route of routes) {
      const credentials = operationOf(route).security.map((one: object) => Object.keys(one).join('+'));
      expect([route.address, credentials]).toEqual([route.address, credentialsOf(route.access)]);
    }
  });

  it('describes every member of every schema', () => {
    const silent = Object.entries<any>(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries<any>(schema.properties ?? {})
        .filter(([, property]) => !property.description && !property.$ref)
        .map(([member]) => `${name}.${member}`),
    );
    expect(silent).toEqual([]);
  });
});
