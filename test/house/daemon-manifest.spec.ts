import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_FLAGS } from '../../src/common/config/daemon/flag-table.js';
import type { DaemonRouteRecord } from '../../src/daemon/contract/daemon-contract.js';
import { DaemonManifest } from '../../src/daemon/contract/daemon-manifest.js';
import type { ScopeRule } from '../../src/daemon/contract/scopes.js';
import { send } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON } from '../kit/daemon-contract.js';

let daemon: TestDaemon;
let enforcing: TestDaemon;
let routes: DaemonRouteRecord[];
beforeAll(async () => {
  daemon = await startDaemon({ env: ALL_FLAGS_ON });
  enforcing = await startDaemon({ env: { ...ALL_FLAGS_ON, SVCD_ROUTE_AUTH: 'enforce' }, database: daemon.database });
  ({ routes } = daemon.app.get(DaemonManifest));
});
afterAll(async () => {
  await enforcing.close();
  await daemon.close();
});

function whoOf(rule: ScopeRule): string {
  if (rule.kind === 'public') return 'anyone';
  if (rule.kind === 'unchecked') return 'whoever route-auth lets in';
  return `${rule.kind} of ${rule.scopes.join(', ')}`;
}

const pathOf = ({ path }: DaemonRouteRecord) => path.replace(/:\w+/g, 'x');
/** Streams begin to answer and never end. */
const ends = ({ streams }: DaemonRouteRecord) => !streams;
const isPublic = ({ classified }: DaemonRouteRecord) => classified?.class === 'Public';
const isGuarded = (route: DaemonRouteRecord) => route.scopes.kind === 'any' || route.scopes.kind === 'all';

const callEach = async (
  url: string,
  which: (route: DaemonRouteRecord) => boolean,
  headers: Record<string, string> = {},
) =>
  Object.fromEntries(
    await Promise.all(
      routes.filter(which).map(async (route) => {
        const body = route.verb === 'GET' ? undefined : {};
        const { status, body: answer } = await send(url, route.verb, pathOf(route), body, headers);
        return [route.address, answer.code ? `${status} ${answer.code}` : String(status)] as const;
      }),
    ),
  );
const each = (which: (route: DaemonRouteRecord) => boolean, answer: string) =>
  Object.fromEntries(routes.filter(which).map(({ address }) => [address, answer]));

describe('the routes of the daemon', () => {
  it('are those of the golden manifest: a difference here is a change of who may do what', async () => {
    const lines = routes.map(({ address, scopes, tenantBound, flag, classified, unlisted, bodyLimit, reply }) =>
      [
        address,
        whoOf(scopes),
        tenantBound ? 'tenant-bound' : '-',
        flag ? DAEMON_FLAGS[flag].env : '-',
        classified ? `${classified.class}(${classified.anyOf.join(', ')})` : 'unclassified',
        unlisted ? 'unlisted' : '-',
        bodyLimit === undefined ? '-' : `${bodyLimit / 1024} KiB`,
        reply.status,
      ].join(' | '),
    );
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/daemon-routes.txt');
  });

  it('answer anyone where they are public, whatever route-auth does', async () => {
    for (const { url } of [daemon, enforcing]) {
      const answers = await callEach(url, (route) => isPublic(route) && ends(route));
      expect(Object.entries(answers).filter(([, answer]) => /^(401|403|5\d\d)/.test(answer))).toEqual([]);
    }
  });

  it('refuse a caller without a credential where they ask for a scope', async () => {
    for (const { url } of [daemon, enforcing])
      expect(await callEach(url, isGuarded)).toEqual(each(isGuarded, '401 UNAUTHORIZED'));
  });

  it('refuse a caller with a scope that opens nothing', async () => {
    const headers = { 'x-svc-scopes': 'tenant:metadata:read' };
    expect(await callEach(daemon.url, isGuarded, headers)).toEqual(each(isGuarded, '403 MISSING_SCOPE'));
  });

  it('refuse a caller that names a tenant which its credential does not cover', async () => {
    const bound = (route: DaemonRouteRecord) => route.tenantBound === true && ends(route);
    const answers = await Promise.all(
      routes.filter(bound).map(async (route) => {
        const scopes = route.scopes.kind === 'any' || route.scopes.kind === 'all' ? [...route.scopes.scopes] : [];
        const own = scopes.filter((scope) => !scope.startsWith('admin:'));
        if (own.length === 0) return undefined;
        const headers = { 'x-svc-scopes': own.join(' '), 'x-svc-tenant-id': 'acme' };
        const query = route.verb === 'GET' ? '?tenant_id=umbrella' : '';
        const body = route.verb === 'GET' ? undefined : { tenant_id: 'umbrella' };
        const { status } = await send(daemon.url, route.verb, pathOf(route) + query, body, headers);
        return [route.address, status] as const;
      }),
    );
    const named = answers.filter((answer) => answer !== undefined);
    expect(named.filter(([, status]) => status < 400 || status >= 500)).toEqual([]);
  });

  it('never answer 500 to an empty request of someone who may do everything', async () => {
    const answers = await callEach(daemon.url, ends, {
      'x-svc-scopes': 'admin:read admin:write facts:write facts:read',
    });
    expect(Object.entries(answers).filter(([, answer]) => answer.startsWith('5'))).toEqual([]);
  });
});
