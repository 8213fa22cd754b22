import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_FLAGS, type DaemonFlagName } from '../../src/common/config/daemon/flag-table.js';
import { flagVariable } from '../../src/common/config/feature-flags.js';
import { SCOPES } from '../../src/common/contract/scopes.js';
import type { Access, RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { matches } from '../../src/common/route-auth/path-pattern.js';
import { classify } from '../../src/common/route-auth/route-class.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON, contractOf, DAEMON_CONTRACT } from '../kit/daemon-contract.js';

/** Prefixes whose row has no scope for GET, since the specification has no GET there: those that are there are ours. */
const OWN_READS: Record<string, string[]> = { '/v1/legal-holds*': ['admin:read', 'admin:write'] };

const templateOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

describe('route-auth', () => {
  it.each(DAEMON_CONTRACT.routes)('knows $method $path', ({ method, path, class: routeClass, route_any_of }) => {
    expect(classify(method, templateOf(path))).toEqual({ class: routeClass, anyOf: route_any_of });
  });

  it.each(DAEMON_CONTRACT.prefixes)('knows what lies below $prefix', ({ prefix, get, other }) => {
    const path = prefix.endsWith('*') ? `${prefix.slice(0, -1)}${prefix.endsWith('/*') ? 'anything' : ''}` : prefix;
    expect(classify('GET', path)?.anyOf).toEqual(OWN_READS[prefix] ?? get);
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
  const isBehindFlag = (paths: readonly string[], path: string) => paths.some((pattern) => matches(pattern, path));

  it.each(DAEMON_CONTRACT.routes)('cover $method $path exactly as the specification says', ({ path, flag }) => {
    const gating = [...known].filter(([, paths]) => isBehindFlag(paths, templateOf(path))).map(([env]) => env);
    // Flags that do not open addresses come with their plane.
    expect(gating).toEqual(flag !== null && known.has(flag) ? [flag] : []);
  });
});

/** Their routes are those of a build feature, which this daemon does not have. */
const OF_BUILD_FEATURES = new Set<DaemonFlagName>(['gpu']);

describe('every route of the running daemon', () => {
  let daemon: TestDaemon;
  let routes: RouteRecord[];
  beforeAll(async () => {
    daemon = await startDaemon({ env: ALL_FLAGS_ON });
    ({ routes } = daemon.app.get(RouteManifest));
  });
  afterAll(() => daemon.close());

  it('is one of the specification, or says that it is none', () => {
    const unnamed = routes.filter(({ verb, path }) => !contractOf(verb, path)).map(({ address }) => address);
    expect(routes.filter(({ extension }) => extension).map(({ address }) => address)).toEqual(unnamed);
  });

  it('is opened by some scope under enforce', () => {
    const closed = routes.filter(({ verb, path }) => {
      const found = classify(verb, path);
      return found?.class !== 'Public' && !found?.anyOf.length;
    });
    expect(closed.map(({ address }) => address)).toEqual([]);
  });

  it('is behind a flag, and every flag that opens addresses has a route', () => {
    const behind = new Set(routes.map(({ flag }) => flag));
    // Where a route stays while a flag is off, more flags than one may change it (flags-page.spec.ts asks each).
    const isServed = (name: DaemonFlagName): boolean =>
      behind.has(name) || OF_BUILD_FEATURES.has(name) || (DAEMON_FLAGS[name].off === 'by route' && isRouteAt(name));
    const isRouteAt = (name: DaemonFlagName): boolean =>
      routes.some(({ path }) => DAEMON_FLAGS[name].paths.some((pattern) => matches(pattern, path)));
    const unserved = (Object.keys(DAEMON_FLAGS) as DaemonFlagName[]).filter(
      (name) => DAEMON_FLAGS[name].paths.length > 0 && !isServed(name),
    );
    expect(unserved).toEqual([]);
  });

  it('has the class, the scopes, the tenant check and the flag that the specification gives it', () => {
    const named = routes.filter(({ verb, path }) => contractOf(verb, path));
    expect(named.map(declared)).toEqual(named.map(specified));
  });
});

const declared = ({ address, verb, path, access, tenantBound, flag, service }: RouteRecord) => ({
  address,
  class: classify(verb, path)?.class,
  route: classify(verb, path)?.anyOf,
  handler: written(access),
  tenantBound: tenantBound ?? false,
  flag: service ? 'SVCD_ENABLED_PRO_SERVICES' : flag && flagVariable(flag),
});

function specified({ address, verb, path }: RouteRecord): ReturnType<typeof declared> {
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

function written(access: Access) {
  if (access.kind === 'scopes') return { [`${access.rule}_of`]: access.scopes };
  return access.kind === 'anyone' ? 'public' : access.kind;
}
