import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access, RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send, startApi, type TestApi } from '../kit/app.js';
import { openApiProblems } from '../kit/openapi.js';
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

  it('ask for no idempotency key beside the request: its calls bear their own', () => {
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
