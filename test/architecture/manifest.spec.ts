import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagVariable } from '../../src/common/config/feature-flags.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import type { Access, RouteRecord } from '../../src/common/contract/contract.js';
import { fromAnotherAddress, send, startApi, type Answer, type TestApi, type TestTenant } from '../kit/app.js';

let api: TestApi;
let other: TestTenant;
let gated: TestApi;
let routes: RouteRecord[];

beforeAll(async () => {
  api = await startApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } });
  other = await api.addTenant('umbrella');
  gated = await startApi({
    database: api.database,
    env: {
      FEATURE_PROOFS: '0',
      FEATURE_WATCHES: '0',
      FEATURE_CONTINUITY: '0',
      SVC_PAYMENT_WEBHOOK_SECRET: '',
    },
  });
  routes = api.app.get(RouteManifest).routes;
});
afterAll(async () => {
  await gated.close();
  await api.close();
});

/** The route's path with parameters that exist nowhere. */
const pathOf = ({ path }: RouteRecord) =>
  path.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000').replace(/\*\w*/g, 'x');
const bodyFor = ({ verb }: RouteRecord, body: object = {}) => (verb === 'GET' || verb === 'DELETE' ? undefined : body);
const withKey = { 'x-idempotency-key': 'generated-test-key' };

/** Calls every route that passes the filter, and says what each answered. */
async function callEach(
  which: (route: RouteRecord) => boolean,
  call: (route: RouteRecord) => Promise<Answer>,
): Promise<Record<string, string>> {
  const answers = routes.filter(which).map(async (route) => {
    const { status, body } = await call(route);
    return [route.address, `${status} ${body?.type}`] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}
const everyOne = (which: (route: RouteRecord) => boolean, answer: string) =>
  Object.fromEntries(routes.filter(which).map((route) => [route.address, answer]));
const credentialed = ({ access }: RouteRecord) => access.kind !== 'anyone';
/** Routes that a key opens. */
const byKey = ({ access }: RouteRecord) => access.kind === 'seats' && !access.session;

function whoOf(access: Access): string {
  if (access.kind !== 'seats') return access.kind;
  const extras = [...(access.session ? ['by session'] : []), ...(access.discovery ? ['discovery'] : [])];
  return [access.roles.join(','), ...extras].join(' + ');
}

describe('the routes', () => {
  it('are those of the golden manifest: a difference here is a change of who may do what', async () => {
    const lines = routes.map(({ address, access, flag, paidTier, idempotent, reply }) => {
      return [
        address,
        whoOf(access),
        paidTier ? 'paid tier' : '-',
        flag ? flagVariable(flag) : '-',
        idempotent ? 'idempotent' : '-',
        reply.status,
      ].join(' | ');
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/routes.txt');
  });

  it('refuse a caller without credentials', async () => {
    const answers = await callEach(credentialed, (route) =>
      send(api.url, route.verb, pathOf(route), bodyFor(route), withKey),
    );
    expect(answers).toEqual(everyOne(credentialed, '401 Unauthorized'));
  });

  it('refuse a wrong key, a short key, and the key of another tenant', async () => {
    for (const apiKey of [`${api.tenant.apiKey}x`, 'short', other.apiKey]) {
      const headers = { ...withKey, 'x-tenant-id': api.tenant.tenantId, 'x-api-key': apiKey };
      const answers = await callEach(credentialed, (route) =>
        send(api.url, route.verb, pathOf(route), bodyFor(route), { ...headers, ...fromAnotherAddress() }),
      );
      expect(answers).toEqual(everyOne(credentialed, '401 Unauthorized'));
    }
  });

  it('refuse a request that names another tenant in query or body', async () => {
    // Of a file the form has fields: test/medium/ingest/files.spec.ts.
    const writes = (route: RouteRecord) => byKey(route) && bodyFor(route) !== undefined && route.body !== 'file';
    for (const name of ['tenantId', 'tenant_id']) {
      const byQuery = await callEach(byKey, (route) =>
        api.tenant.call(route.verb, `${pathOf(route)}?${name}=umbrella`, bodyFor(route)),
      );
      expect(byQuery).toEqual(everyOne(byKey, '403 Forbidden'));
      const byBody = await callEach(writes, (route) =>
        api.tenant.call(route.verb, pathOf(route), { [name]: 'umbrella' }),
      );
      expect(byBody).toEqual(everyOne(writes, '403 Forbidden'));
    }
  });

  it('answer 412 where their feature is off, after the credential and before anything else', async () => {
    // Self-signup is no address at all where it is off: the agents' tests.
    const behindFlag = ({ flag }: RouteRecord) => flag !== undefined && flag !== 'selfSignup';
    const known = await callEach(behindFlag, (route) =>
      gated.tenant.call(route.verb, pathOf(route), bodyFor(route, { wrong: true })),
    );
    expect(known).toEqual(everyOne(behindFlag, '412 FeatureDisabled'));
    const unknown = await callEach(behindFlag, (route) =>
      send(gated.url, route.verb, pathOf(route), bodyFor(route), withKey),
    );
    expect(unknown).toEqual(everyOne(behindFlag, '401 Unauthorized'));
  });

  it('ask for an idempotency key of 8 characters where they write', async () => {
    const writes = (route: RouteRecord) => route.idempotent && byKey(route);
    for (const key of ['', '7 chars']) {
      const answers = await callEach(writes, (route) =>
        api.tenant.call(route.verb, pathOf(route), bodyFor(route), { 'x-idempotency-key': key }),
      );
      expect(answers).toEqual(everyOne(writes, '400 IdempotencyKeyRequired'));
    }
  });

  it('never answer 500 to an empty request, and name what they miss', async () => {
    const answers = await callEach(byKey, (route) => api.tenant.call(route.verb, pathOf(route), bodyFor(route)));
    expect(Object.entries(answers).filter(([, answer]) => answer.startsWith('5'))).toEqual([]);
  });
});
