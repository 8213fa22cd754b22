import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteAuthMode } from '../../src/common/config/daemon/daemon-settings.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON, contractOf, DAEMON_CONTRACT, type ContractRoute } from '../kit/daemon-contract.js';
import { sendAll, type Ask, type Outcome } from '../kit/many-requests.js';

const MODES: RouteAuthMode[] = ['off', 'shadow', 'enforce'];
const MARKER = 'route_auth_shadow_mismatch';

/**
 * Three daemons on one database, one a mode of route-auth, and the ids of the requests that each would have refused.
 */
const daemons = new Map<RouteAuthMode, TestDaemon>();
const marked = new Map<RouteAuthMode, string[]>();
let specified: ContractRoute[];

beforeAll(async () => {
  for (const mode of MODES) {
    const ids: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => noteMarker(line, ids) });
    const database = daemons.get('off')?.database;
    daemons.set(mode, await startDaemon({ env: { ...ALL_FLAGS_ON, SVCD_ROUTE_AUTH: mode }, database, log }));
    marked.set(mode, ids);
  }
  const { routes } = daemons.get('off')!.app.get(RouteManifest);
  // daemon-routes.spec.ts reports what is not of the specification; test/medium/provenance has the scopes of routes
  // that take no caller without proof.
  const open = routes.filter(({ provenCaller }) => !provenCaller);
  specified = open.flatMap(({ verb, path }) => contractOf(verb, path) ?? []);
  expect(specified.length).toBeGreaterThan(0);
});
afterAll(async () => {
  for (const mode of [...MODES].reverse()) await daemons.get(mode)?.close();
});

function noteMarker(line: string, ids: string[]): void {
  const { msg, request_id } = JSON.parse(line) as { msg: string; request_id: string };
  if (msg === MARKER) ids.push(request_id);
}

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const inCurlies = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/** A request that finds nothing and changes next to nothing once it is let in. */
function askFor({ method, path }: ContractRoute, headers: Record<string, string>): Ask {
  const target = inCurlies(path)
    .replace(/\{\w+\}/g, NOWHERE)
    .replace(/\*\w*/g, 'x');
  return { method, path: target, headers, body: method === 'GET' || method === 'DELETE' ? undefined : '{}' };
}

/** What became of a request: let in (whatever it was answered then), or refused for the scopes it lacks. */
const verdictOf = ({ status, refusal }: Outcome): string => {
  if (status >= 500 && status !== 501 && status !== 503) return `error ${status}`;
  if (!refusal) return 'in';
  const { code, missingAnyScope, missingScopes } = refusal;
  if (code === 'MISSING_SCOPE') return refused({ missingAnyScope, missingScopes });
  return `${status} ${code}`;
};

const refused = (missing: { missingAnyScope?: string[]; missingScopes?: string[] }): string =>
  `403 MISSING_SCOPE ${JSON.stringify(missing)}`;

const routeAuthPasses = (route: ContractRoute, scope: string): boolean =>
  route.class === 'Public' || route.route_any_of.includes(scope);

/** What the specification says, and nothing of our declarations (memory-daemon.md 5.3, 5.4). */
function expected(mode: RouteAuthMode, route: ContractRoute, scope: string): string {
  const { handler, route_any_of } = route;
  if (mode === 'enforce' && !routeAuthPasses(route, scope)) return refused({ missingAnyScope: route_any_of });
  if (typeof handler === 'string') return 'in';
  if ('any_of' in handler) return handler.any_of.includes(scope) ? 'in' : refused({ missingAnyScope: handler.any_of });
  const missing = handler.all_of.filter((one) => one !== scope);
  return missing.length === 0 ? 'in' : refused({ missingScopes: missing });
}

const named = ({ method, path }: ContractRoute, verdict: string) => `${method} ${path}: ${verdict}`;

describe.each(MODES)('the scope matrix under SVCD_ROUTE_AUTH=%s', { timeout: 300_000 }, (mode) => {
  it('lets every single scope in where the specification does, refuses it as it says, and marks it in shadow alone', async () => {
    const cells = specified.flatMap((route) => DAEMON_CONTRACT.scopes.map((scope) => ({ route, scope })));
    const asks = cells.map(({ route, scope }, i) =>
      askFor(route, { 'x-svc-scopes': scope, 'x-request-id': `cell-${i}` }),
    );
    const outcomes = await sendAll(daemons.get(mode)!.url, asks);
    const observed = cells.map(({ route, scope }, i) => `${scope} ${named(route, verdictOf(outcomes[i]!))}`);
    expect(observed).toEqual(cells.map(({ route, scope }) => `${scope} ${named(route, expected(mode, route, scope))}`));

    const marks = new Set(marked.get(mode)!.filter((id) => id.startsWith('cell-')));
    const markedCells = cells.flatMap(({ route, scope }, i) =>
      marks.has(`cell-${i}`) ? `${scope} ${named(route, '')}` : [],
    );
    const refusable = mode === 'shadow' ? cells.filter(({ route, scope }) => !routeAuthPasses(route, scope)) : [];
    expect(markedCells).toEqual(refusable.map(({ route, scope }) => `${scope} ${named(route, '')}`));
  });

  it('asks for a credential wherever a scope is asked for', async () => {
    const outcomes = await sendAll(
      daemons.get(mode)!.url,
      specified.map((route) => askFor(route, {})),
    );
    const asks = ({ handler, class: routeClass }: ContractRoute) =>
      typeof handler === 'object' || (mode === 'enforce' && routeClass !== 'Public');
    expect(specified.map((route, i) => named(route, verdictOf(outcomes[i]!)))).toEqual(
      specified.map((route) => named(route, asks(route) ? '401 UNAUTHORIZED' : 'in')),
    );
    expect(outcomes.filter(({ status, refusal }) => status === 401 && !refusal.hint)).toEqual([]);
  });

  it('leaves no route unreachable for all scopes together', async () => {
    const all = { 'x-svc-scopes': DAEMON_CONTRACT.scopes.join(',') };
    const outcomes = await sendAll(
      daemons.get(mode)!.url,
      specified.map((route) => askFor(route, all)),
    );
    expect(specified.map((route, i) => named(route, verdictOf(outcomes[i]!)))).toEqual(
      specified.map((route) => named(route, 'in')),
    );
  });

  it('answers what is no route', async () => {
    const addresses = [
      'GET /v1/nope',
      'GET /v2/facts',
      'GET /api',
      'PATCH /v1/openapi.json',
      'HEAD /nowhere',
      'OPTIONS /healthz',
    ];
    for (const address of addresses) {
      const [method, path] = address.split(' ');
      const { status, body } = await send(daemons.get(mode)!.url, method!, path!);
      const answer = mode === 'enforce' ? [403, 'ROUTE_UNCLASSIFIED'] : [404, 'NOT_FOUND'];
      expect([address, status, method === 'HEAD' ? answer[1] : body.code]).toEqual([address, ...answer]);
    }
  });

  it('refuses nobody what would be under /v1/auth/', async () => {
    const { status, body } = await send(daemons.get(mode)!.url, 'GET', '/v1/auth/nope');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('SVCD_AUTH_MODE=off', () => {
  it('lets everybody in everywhere, under enforce too', async () => {
    const env = { ...ALL_FLAGS_ON, SVCD_AUTH_MODE: 'off', SVCD_ROUTE_AUTH: 'enforce' };
    const daemon = await startDaemon({ env, database: daemons.get('off')!.database });
    try {
      const outcomes = await sendAll(
        daemon.url,
        specified.map((route) => askFor(route, {})),
      );
      expect(specified.map((route, i) => named(route, verdictOf(outcomes[i]!)))).toEqual(
        specified.map((route) => named(route, 'in')),
      );
    } finally {
      await daemon.close();
    }
  });
});
