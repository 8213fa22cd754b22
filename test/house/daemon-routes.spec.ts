import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_FLAGS } from '../../src/common/config/daemon/flag-table.js';
import { SCOPES, type ScopeRule } from '../../src/daemon/contract/scopes.js';
import type { DaemonRouteRecord } from '../../src/daemon/contract/daemon-contract.js';
import { DaemonManifest } from '../../src/daemon/contract/daemon-manifest.js';
import { matches } from '../../src/daemon/route-auth/path-pattern.js';
import { classify } from '../../src/daemon/route-auth/route-class.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON, contractOf, DAEMON_CONTRACT } from '../kit/daemon-contract.js';

const templateOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

describe('route-auth', () => {
  it.each(DAEMON_CONTRACT.routes)('knows $method $path', ({ method, path, class: routeClass, route_any_of }) => {
    expect(classify(method, templateOf(path))).toEqual({ class: routeClass, anyOf: route_any_of });
  });

  it.each(DAEMON_CONTRACT.prefixes)('knows what lies below $prefix', ({ prefix, get, other }) => {
    const path = prefix.endsWith('*') ? `${prefix.slice(0, -1)}${prefix.endsWith('/*') ? 'anything' : ''}` : prefix;
    expect(classify('GET', path)?.anyOf).toEqual(get);
    if (other !== null) expect(classify('POST', path)?.anyOf).toEqual(other);
  });

  it('knows nothing of other addresses', () => {
    const unknown = [
      '/',
      '/v2/facts',
      '/v1',
      '/v1/nope',
      '/v1/receiptsx',
      '/v1/memoryx',
      '/v1/appendix',
      '/api/v1/facts',
    ];
    expect(unknown.filter((path) => classify('GET', path) ?? classify('POST', path))).toEqual([]);
  });

  it('has the scopes of the specification', () => {
    expect([...SCOPES]).toEqual(DAEMON_CONTRACT.scopes);
  });
});

describe('the flags', () => {
  const known = new Map(Object.values(DAEMON_FLAGS).map(({ env, paths }) => [env, paths]));
  const isGated = (paths: readonly string[], path: string) => paths.some((pattern) => matches(pattern, path));

  it.each(DAEMON_CONTRACT.routes)('gate $method $path exactly as the specification says', ({ path, flag }) => {
    const gating = [...known].filter(([, paths]) => isGated(paths, templateOf(path))).map(([env]) => env);
    // Flags that do not open addresses come with their plane.
    expect(gating).toEqual(flag !== null && known.has(flag) ? [flag] : []);
  });
});

describe('every route of the running daemon', () => {
  let daemon: TestDaemon;
  let routes: DaemonRouteRecord[];
  beforeAll(async () => {
    daemon = await startDaemon({ env: ALL_FLAGS_ON });
    ({ routes } = daemon.app.get(DaemonManifest));
  });
  afterAll(() => daemon.close());

  it('is one of the specification', () => {
    expect(routes.filter(({ verb, path }) => !contractOf(verb, path)).map(({ address }) => address)).toEqual([]);
  });

  it('has the class, the scopes, the tenant check and the flag that the specification gives it', () => {
    const named = routes.filter(({ verb, path }) => contractOf(verb, path));
    expect(named.map(declared)).toEqual(named.map(specified));
  });
});

const declared = ({ address, classified, scopes, tenantBound, flag }: DaemonRouteRecord) => ({
  address,
  class: classified?.class,
  route: classified?.anyOf,
  handler: written(scopes),
  tenantBound: tenantBound ?? false,
  flag: flag && DAEMON_FLAGS[flag].env,
});

function specified({ address, verb, path }: DaemonRouteRecord): ReturnType<typeof declared> {
  const { class: routeClass, route_any_of, handler, tenant_bound, flag } = contractOf(verb, path)!;
  return {
    address,
    class: routeClass as never,
    route: route_any_of as never,
    handler: handler as never,
    tenantBound: tenant_bound,
    flag: flag ?? undefined,
  };
}

function written(rule: ScopeRule) {
  if (rule.kind === 'any') return { any_of: rule.scopes };
  if (rule.kind === 'all') return { all_of: rule.scopes };
  return rule.kind;
}
