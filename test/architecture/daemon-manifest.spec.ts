import { tmpdir } from 'node:os';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagVariable } from '../../src/common/config/feature-flags.js';
import { classify } from '../../src/common/route-auth/route-class.js';
import { CoreModule } from '../../src/apps/core.module.js';
import { loadSettings } from '../../src/common/config/settings.js';
import { nothing, seats, type Access, type RouteRecord } from '../../src/common/contract/contract.js';
import { daemonContract } from '../../src/common/contract/daemon-contract.js';
import { Route } from '../../src/common/contract/route.decorator.js';
import { makeLog } from '../../src/common/observability/log.js';
import { Metrics } from '../../src/common/observability/metrics.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON } from '../kit/daemon-contract.js';

let daemon: TestDaemon;
let enforcing: TestDaemon;
let routes: RouteRecord[];
beforeAll(async () => {
  daemon = await startDaemon({ env: ALL_FLAGS_ON });
  enforcing = await startDaemon({ env: { ...ALL_FLAGS_ON, SVCD_ROUTE_AUTH: 'enforce' }, database: daemon.database });
  ({ routes } = daemon.app.get(RouteManifest));
});
afterAll(async () => {
  await enforcing.close();
  await daemon.close();
});

function whoOf(access: Access): string {
  if (access.kind === 'unchecked') return 'whoever route-auth lets in';
  return access.kind === 'scopes' ? `${access.rule} of ${access.scopes.join(', ')}` : access.kind;
}

const classOf = ({ verb, path }: RouteRecord) => classify(verb, path);
const scopesOf = ({ access }: RouteRecord) => (access.kind === 'scopes' ? access.scopes : []);

const pathOf = ({ path }: RouteRecord) => path.replace(/:\w+/g, 'x');
/** Streams begin to answer and never end. */
const ends = ({ streams }: RouteRecord) => !streams;
const isPublic = (route: RouteRecord) => classOf(route)?.class === 'Public';
const isGuarded = (route: RouteRecord) => route.access.kind === 'scopes';

/** Few at once: a check of readiness fails where the database does not answer it within 1.5 s. */
const AT_ONCE = 4;
async function callEach(url: string, which: (route: RouteRecord) => boolean, headers: Record<string, string> = {}) {
  const called = routes.filter(which);
  const answers: [address: string, answer: string][] = [];
  for (let from = 0; from < called.length; from += AT_ONCE)
    answers.push(
      ...(await Promise.all(called.slice(from, from + AT_ONCE).map((route) => answerOf(url, route, headers)))),
    );
  return Object.fromEntries(answers);
}
async function answerOf(url: string, route: RouteRecord, headers: Record<string, string>): Promise<[string, string]> {
  const body = route.verb === 'GET' ? undefined : {};
  const { status, body: answer } = await send(url, route.verb, pathOf(route), body, headers);
  return [route.address, answer.code ? `${status} ${answer.code}` : String(status)];
}
const each = (which: (route: RouteRecord) => boolean, answer: string) =>
  Object.fromEntries(
    routes.filter(which).map(({ address, provenCaller }) => [address, provenCaller ? '403 SPOOFABLE_AUTH' : answer]),
  );

describe('a route that asks for a credential which no guard of its server knows', () => {
  @Controller()
  class Misplaced {
    @Route('GET /misplaced', { tag: 't', summary: 'S', access: seats('owner'), reply: nothing() })
    async read(): Promise<void> {}
  }

  it('stops the start', async () => {
    const settings = loadSettings({ NODE_ENV: 'test', SVC_DATA_DIR: tmpdir() });
    const address = { ownerUrl: daemon.database.url };
    const parts = { settings, address, log: makeLog(settings, 'test'), metrics: new Metrics() };
    const imports = [CoreModule.of(parts, { contract: daemonContract('urn:test') })];
    const start = NestFactory.createApplicationContext(
      { module: class MisplacedModule {}, imports, controllers: [Misplaced] },
      { logger: false, abortOnError: false },
    );
    await expect(start).rejects.toThrow('GET /misplaced asks for access by seats');
  });
});

describe('the routes of the daemon', () => {
  it('are those of the golden manifest: a difference here is a change of who may do what', async () => {
    const lines = routes.map((route) => {
      const { address, access, tenantBound, flag, unlisted, bodyLimit, reply } = route;
      const classified = classOf(route);
      return [
        address,
        whoOf(access),
        tenantBound ? 'tenant-bound' : '-',
        flag ? flagVariable(flag) : '-',
        classified ? `${classified.class}(${classified.anyOf.join(', ')})` : 'unclassified',
        unlisted ? 'unlisted' : '-',
        bodyLimit === undefined ? '-' : `${bodyLimit / 1024} KiB`,
        reply.status,
      ].join(' | ');
    });
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
    const bound = (route: RouteRecord) => route.tenantBound === true && ends(route);
    const answers = await Promise.all(
      routes.filter(bound).map(async (route) => {
        const own = scopesOf(route).filter((scope) => !scope.startsWith('admin:'));
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
    expect(Object.entries(answers).filter(([, answer]) => answer.startsWith('5') && !answer.startsWith('501'))).toEqual(
      [],
    );
  });
});
