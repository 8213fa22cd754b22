import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteAuthMode } from '../../src/common/config/daemon/daemon-settings.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON, DAEMON_CONTRACT, type ContractRoute } from '../kit/daemon-contract.js';

const MODES: RouteAuthMode[] = ['off', 'shadow', 'enforce'];
const MARKER = 'route_auth_shadow_mismatch';

const daemons = new Map<RouteAuthMode, TestDaemon>();
/** The ids of the requests that shadow would have refused. */
const marked = new Set<string>();
/** Routes that the specification names and nobody serves. */
let unserved: ContractRoute[];
type Address = Pick<ContractRoute, 'method' | 'path' | 'class' | 'route_any_of'>;
/** Families of which the specification names no member, and those of a build feature that is not there. */
const FAMILIES = ['/v1/query/*', '/v1/ops/*', '/v1/mcp/tools*', '/v1/agents/*', '/v1/gpu1/*', '/v1/cloud/*'];
const unbuilt = FAMILIES.map((path): Address => {
  const { get } = DAEMON_CONTRACT.prefixes.find(({ prefix }) => prefix === path)!;
  return { method: 'GET', path, class: 'Read', route_any_of: get };
});

const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/:\w+|\{\w+\}/g, '{}')}`;

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line) => noteMarker(line) });
  for (const mode of MODES) {
    const database = daemons.get('off')?.database;
    daemons.set(mode, await startDaemon({ env: { ...ALL_FLAGS_ON, SVCD_ROUTE_AUTH: mode }, database, log }));
  }
  const { routes } = daemons.get('off')!.app.get(RouteManifest);
  const served = new Set(routes.map(({ verb, path }) => shapeOf(verb, path)));
  unserved = DAEMON_CONTRACT.routes.filter(({ method, path }) => !served.has(shapeOf(method, path)));
});
afterAll(async () => {
  for (const mode of [...MODES].reverse()) await daemons.get(mode)?.close();
});

function noteMarker(line: string): void {
  const { msg, request_id } = JSON.parse(line) as { msg: string; request_id: string };
  if (msg === MARKER) marked.add(request_id);
}

interface Call {
  method: string;
  path: string;
  scopes: string;
  id: string;
}

/** The call with the problem that is answered. */
async function answerTo(mode: RouteAuthMode, { method, path, scopes, id }: Call) {
  const target = path.replace(/\{\w+\}/g, 'x').replace(/\*\w*$/, 'x');
  const body = ['GET', 'HEAD', 'DELETE'].includes(method) ? undefined : {};
  const headers = { 'x-svc-scopes': scopes, 'x-request-id': id };
  const answer = await send(daemons.get(mode)!.url, method, target, body, headers);
  return { address: `${method} ${path}`, flag: undefined, ...answer.body, status: answer.status };
}

const flagOf = (path: string): string | undefined =>
  /^\/v1\/(gpu1|cloud)\//.test(path) ? 'SVC_BUILD_FEATURES' : undefined;

/** What says truthfully that it is not built, and names the flag that was set to no effect. */
const notBuilt = ({ method, path }: { method: string; path: string }) =>
  expect.objectContaining({
    address: `${method} ${path}`,
    status: 404,
    code: 'NOT_BUILT',
    flag: flagOf(path),
    detail: expect.stringContaining('not built in this version'),
  });

const sufficing = ({ class: routeClass, route_any_of }: Address): string[] =>
  routeClass === 'Public' ? ['facts:read'] : route_any_of;
const lacking = ({ class: routeClass, route_any_of }: Address): string | undefined =>
  routeClass === 'Public' ? undefined : DAEMON_CONTRACT.scopes.find((scope) => !route_any_of.includes(scope));

describe('a family of addresses of which the specification names no member', { timeout: 120_000 }, () => {
  it('is there to be tried, while every route that it names is served', () => {
    expect(unserved).toEqual([]);
    expect(unbuilt.filter((route) => sufficing(route).length === 0)).toEqual([]);
  });

  it.each(MODES)('is 404 NOT_BUILT to the scopes of its class under %s, and nothing is marked', async (mode) => {
    const calls = unbuilt.flatMap((route) =>
      sufficing(route).map((scopes) => ({ ...route, scopes, id: `passes-${mode}` })),
    );
    for (const call of calls) expect(await answerTo(mode, call)).toEqual(notBuilt(call));
    expect(marked).not.toContain(`passes-${mode}`);
  });

  it('is 403 to other scopes under enforce, and 401 without any', async () => {
    for (const route of unbuilt) {
      const scopes = lacking(route);
      if (scopes === undefined) continue;
      const refused = await answerTo('enforce', { ...route, scopes, id: 'lacks' });
      expect(refused).toMatchObject({ status: 403, code: 'MISSING_SCOPE', missingAnyScope: route.route_any_of });
      const anonymous = await answerTo('enforce', { ...route, scopes: '', id: 'none' });
      expect(anonymous).toMatchObject({ address: refused.address, status: 401, code: 'UNAUTHORIZED' });
    }
  });

  it('is 404 NOT_BUILT to other scopes and to nobody under off and shadow; shadow marks each', async () => {
    for (const [index, route] of unbuilt.entries()) {
      for (const scopes of [lacking(route) ?? 'facts:read', '']) {
        const id = `would-deny-${index}-${scopes || 'nobody'}`;
        expect(await answerTo('off', { ...route, scopes, id: `${id}-off` })).toEqual(notBuilt(route));
        expect(await answerTo('shadow', { ...route, scopes, id })).toEqual(notBuilt(route));
        expect([id, marked.has(id), marked.has(`${id}-off`)]).toEqual([id, route.class !== 'Public', false]);
      }
    }
  });
});

describe('other addresses that no route is at', () => {
  const UNMATCHED = ['/v1/facts/a/b/c', '/v1/receipts/a/b/c', '/v1/nope', '/v2/facts', '/v1/local/other'];

  it('are unmatched under enforce where their plane is built or none, whatever the scopes', async () => {
    for (const path of UNMATCHED) {
      const call = { method: 'GET', path, scopes: DAEMON_CONTRACT.scopes.join(' '), id: 'unmatched' };
      expect(await answerTo('enforce', call)).toMatchObject({ status: 403, code: 'ROUTE_UNCLASSIFIED' });
      expect(await answerTo('shadow', call)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });
});
