import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../kit/app.js';
import { makeTenantFixture, keyOn, LISTS, SECRET, withCookie, type TenantFixture } from '../kit/tenant-fixture.js';

let api: TestApi;
let production: TestApi;
let victim: TestTenant;
let attacker: TestTenant;
let fixture: TenantFixture;
/** The attacker's ways to call: key and owner's session, on either server. */
let ways: Record<string, TestTenant['call']>;

beforeAll(async () => {
  const env = { FEATURE_SELF_SIGNUP: '1', SVC_SESSION_SECRET: 'of the test, thirty-two characters long' };
  api = await startApi({ env });
  production = await startApi({
    database: api.database,
    env: { ...env, NODE_ENV: 'production', SVC_BOOTSTRAP_API_KEY: 'a-key-of-production, thirty-two characters' },
  });
  victim = api.tenant;
  attacker = await api.addTenant('umbrella');
  fixture = await makeTenantFixture(api, victim);
  const { inviteToken: token } = (await attacker.call('POST', '/v1/org/bootstrap-owner', { email: 'o@umbrella.test' }))
    .body;
  const accepted = await send(api.url, 'POST', '/v1/org/accept-invite', { token });
  const cookie = accepted.headers.get('set-cookie')!.split(';')[0]!;
  ways = {
    key: attacker.call,
    session: withCookie(api.url, cookie),
    'key in production': keyOn(production.url, attacker),
    'session in production': withCookie(production.url, cookie),
  };
}, 120_000);
afterAll(async () => {
  await production.close();
  await api.close();
});

async function settled(path: string): Promise<any> {
  for (let i = 0; i < 300; i += 1) {
    const { body } = await victim.call('GET', path);
    if (!['queued', 'processing', 'running'].includes(body.status)) return body;
    await sleep(100);
  }
  throw new Error(`${path} did not end`);
}

/** The body's own idempotencyKey stands in for the header. */
const NO_HEADER = { 'x-idempotency-key': '' };

/** All that an answer lets out must be the attacker's own or nothing. */
const leaks = ({ text }: Answer) => [SECRET, 'acme', victim.apiKey].filter((secret) => text.includes(secret));

const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** A body that the route takes, so that the id in its path is all that can be wrong. */
const BODIES: Record<string, object> = {
  'PUT /v1/org/seats/:id': { role: 'viewer' },
  'POST /v1/org/access-requests/:id/status': { status: 'reviewing', reason: 'mine' },
  'POST /v1/feedback/review/requests/:id': { decision: 'accept', reason: 'mine' },
  'POST /v1/feedback/review/declarations/:id': { decision: 'accepted', reason: 'mine' },
  'POST /v1/shield/servers/:serverId/status': { status: 'blocked', reason: 'mine' },
  'POST /v1/shield/approvals/:approvalRequestId/resolve': { decision: 'approve', reason: 'mine' },
  'PUT /v1/bundles/:bundleId': { title: 'Mine', description: 'Mine', corpora: ['vault'], priceCredits: 1 },
};
/** An agent's name is free: everybody has an agent called so, and finds its own things there. */
const isOwnNameSpace = ({ path }: RouteRecord) => namesIn(path).includes('agentId');
/** Routes that reveal that the object exists: the first tenant that claims an agent gets it. */
const EXPECTED: Record<string, number[]> = {
  'POST /v1/agents/:agentPrincipalId/sponsor': [401, 409],
  // No session opens a route of SCIM.
  'DELETE /scim/v2/Groups/:groupId': [401, 404],
  'GET /scim/v2/Groups/:groupId': [401, 404],
  'PATCH /scim/v2/Groups/:groupId': [401, 404],
  'PUT /scim/v2/Groups/:groupId': [401, 404],
  'DELETE /scim/v2/Users/:userId': [401, 404],
  'GET /scim/v2/Users/:userId': [401, 404],
  'PATCH /scim/v2/Users/:userId': [401, 404],
  'PUT /scim/v2/Users/:userId': [401, 404],
  // The corpus it names is none of the attacker's.
  'PUT /v1/bundles/:bundleId': [400],
};

describe('another tenant', () => {
  it(
    'finds nothing behind any id of the victim, on any route, by any credential, also in production',
    { timeout: 120_000 },
    async () => {
      const tried = new Set<string>();
      for (const route of api.app.get(RouteManifest).routes) {
        const names = namesIn(route.path);
        if (route.access.kind === 'anyone' || names.length === 0 || isOwnNameSpace(route)) continue;
        for (const id of fixture.ids[names.at(-1)!]!) {
          const target = route.path.replace(/:(\w+)/g, (_, name: string) =>
            encodeURIComponent(name === names.at(-1) ? id : fixture.ids[name]![0]!),
          );
          for (const [way, call] of Object.entries(ways)) {
            const body = route.verb === 'GET' || route.verb === 'DELETE' ? undefined : (BODIES[route.address] ?? {});
            const answer = await call(route.verb, target, body);
            expect([
              way,
              route.address,
              (EXPECTED[route.address] ?? [404]).includes(answer.status),
              answer.body.type ?? answer.body.schemas[0],
            ]).toEqual([way, route.address, true, expect.any(String)]);
            expect([way, route.address, leaks(answer).filter((secret) => !target.includes(secret))]).toEqual([
              way,
              route.address,
              [],
            ]);
            tried.add(route.address);
          }
        }
      }
      expect(tried.size).toBeGreaterThanOrEqual(30);
    },
  );

  it('sees nothing of the victim in any list, with or without its cursor, nor in the home of an agent of that name', async () => {
    const lists = api.app
      .get(RouteManifest)
      .routes.filter(({ verb, path, access }) => verb === 'GET' && path.startsWith('/v1') && access.kind === 'seats')
      .filter((route) => namesIn(route.path).length === 0 || isOwnNameSpace(route))
      .map(({ path }) => path.replace(':agentId', 'a'));
    expect(lists).toEqual(expect.arrayContaining(LISTS));
    for (const path of lists) {
      for (const call of Object.values(ways)) {
        const answer = await call('GET', path);
        const seen = leaks(answer).filter((secret) => !(path === '/v1/bundles' && secret === 'acme'));
        expect([path, answer.status, seen]).toEqual([path, 200, []]);
      }
    }
    expect(Object.keys(fixture.cursors).length).toBeGreaterThan(3);
    for (const [path, cursor] of Object.entries(fixture.cursors)) {
      const answer = await attacker.call('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);
      expect([path, answer.status, leaks(answer)]).toEqual([path, 200, []]);
    }
  });

  it("cannot make use of the victim's ids in a body", async () => {
    const { ids, chunkId } = fixture;
    const tried: [string, object][] = [
      ['/v1/watches', { targetType: 'document', targetId: 'vault/a' }],
      ['/v1/watches', { targetType: 'answer', targetId: ids.answerId![0] }],
      ['/v1/watches', { targetType: 'artifact', targetId: chunkId }],
      ['/v1/shield/ui-integrity-sessions', { approvalRequestId: ids.approvalRequestId![0] }],
      ['/v1/shield/servers', { serverId: 'mine', publisherId: SECRET, reason: 'mine' }],
      ['/v1/bundles', { title: 'Mine', description: 'Mine', corpora: ['vault'], priceCredits: 1 }],
      ['/v1/home/a/primitives', { kind: 'goal', name: 'mine', content: { text: 'mine' }, pins: [{ chunkId }] }],
      [
        '/v1/feedback/revenue/declarations',
        { subject: 'mine', amountMinor: 1, currency: 'GBP', period: 'once', requestId: fixture.requestId },
      ],
    ];
    for (const [path, body] of tried) {
      const answer = await attacker.call('POST', path, body);
      const sent = JSON.stringify(body);
      expect([
        path,
        answer.status >= 400 && answer.status < 500,
        leaks(answer).filter((s) => !sent.includes(s)),
      ]).toEqual([path, true, []]);
    }
  });

  it("cannot use the victim's approval, cookie or bearer as its own", async () => {
    const { approvalToken, approvedTip, cookie, bearer } = fixture;
    const stolen = await attacker.call('POST', '/v1/economy/tip-platform', approvedTip, {
      'x-shield-approval-token': approvalToken,
    });
    expect([stolen.status, stolen.body.type.startsWith('Shield')]).toEqual([403, true]);
    for (const url of [api.url, production.url]) {
      const mixed = await send(url, 'GET', '/v1/corpora', undefined, { cookie, 'x-tenant-id': 'umbrella' });
      const carried = await send(url, 'GET', '/v1/corpora', undefined, {
        authorization: `Bearer ${bearer}`,
        'x-tenant-id': 'umbrella',
      });
      expect([mixed.status, carried.status]).toEqual([403, 403]);
      const [name, value] = cookie.split('=') as [string, string];
      const renamed = `${name}=${value.replace(/^[^.]+/, Buffer.from('umbrella').toString('base64url'))}`;
      expect((await send(url, 'GET', '/v1/corpora', undefined, { cookie: renamed })).status).toBe(401);
    }
    // The approval is as good as before for whom it was given to.
    const used = await victim.call('POST', '/v1/economy/tip-platform', approvedTip, {
      'x-shield-approval-token': approvalToken,
    });
    expect(used.status).toBe(201);
  });

  it('gets nothing by searching, in any lane, whatever corpora it names', async () => {
    for (const lane of ['light', 'verified', 'audit']) {
      const answer = await attacker.call('POST', '/v1/retrieve', {
        query: SECRET,
        lane,
        corpusIds: ['vault'],
        limit: 50,
      });
      expect([answer.status, answer.body.results, leaks(answer)]).toEqual([200, [], []]);
    }
  });

  it('cannot cite or prove what it cannot see, and learns nothing by trying', async () => {
    const cite = await attacker.call(
      'POST',
      '/v1/citations',
      {
        agentId: 'a',
        answerId: 'mine',
        idempotencyKey: 'cite-once',
        citations: [{ chunkId: fixture.chunkId }],
      },
      NO_HEADER,
    );
    const made = await attacker.call(
      'POST',
      '/v1/citations',
      {
        agentId: 'a',
        answerId: 'mine',
        idempotencyKey: 'cite-two!',
        citations: [{ chunkId: `chk_${'0'.repeat(32)}` }],
      },
      NO_HEADER,
    );
    expect([cite.status, cite.body.issues[0].path]).toEqual([400, 'body.citations[0].chunkId']);
    // A chunk of another tenant and a chunk that is none are refused alike, but for the id itself.
    expect(cite.text.replaceAll(fixture.chunkId, 'X').replace(cite.body.request_id, '')).toBe(
      made.text.replaceAll(`chk_${'0'.repeat(32)}`, 'X').replace(made.body.request_id, ''),
    );
    for (const subject of [
      { answerId: fixture.ids.answerId![0] },
      { artefact_id: fixture.chunkId },
      { artefact_id: 'vault/a' },
    ]) {
      const answer = await attacker.call('POST', '/v1/proof/jobs', { mode: 'light', ...subject });
      expect([
        subject,
        answer.status >= 400 && answer.status < 500,
        leaks(answer).filter((s) => !JSON.stringify(subject).includes(s)),
      ]).toEqual([subject, true, []]);
    }
  });

  it("uses the victim's idempotency key for itself alone", async () => {
    const key = { 'x-idempotency-key': 'cite-once' };
    const answer = await attacker.call('DELETE', '/v1/documents/vault/a', undefined, key);
    expect([answer.status, answer.headers.get('x-idempotency-replayed'), leaks(answer)]).toEqual([404, null, []]);
    expect((await victim.call('GET', '/v1/documents/vault/a')).status).toBe(200);
  });

  it('sees a shared passage as long as it is shared, and no longer', async () => {
    const shared = {
      tenantId: 'acme',
      corpusId: 'open',
      docId: 'c',
      title: 'Open',
      content: 'Quokkas are shared.',
      url: 'https://example.org/',
      shareability: 'public_safe',
    };
    await settled(`/v1/ingest/${(await victim.call('POST', '/v1/ingest', shared)).body.ingestId}`);
    const [found] = (await attacker.call('POST', '/v1/retrieve', { query: 'quokkas' })).body.results;
    expect([found.content, found.source, found.tenantId]).toEqual(['Quokkas are shared.', 'commons', null]);
    const cite = (answerId: string) =>
      attacker.call(
        'POST',
        '/v1/citations',
        { agentId: 'a', answerId, idempotencyKey: `cite-${answerId}`, citations: [{ chunkId: found.chunkId }] },
        NO_HEADER,
      );
    expect((await cite('while-shared')).status).toBe(201);
    await settled(
      `/v1/ingest/${(await victim.call('POST', '/v1/ingest', { ...shared, shareability: 'owner_only' })).body.ingestId}`,
    );
    expect((await attacker.call('POST', '/v1/retrieve', { query: 'quokkas' })).body.results).toEqual([]);
    expect((await cite('after-that')).status).toBe(400);
    expect((await attacker.call('POST', '/v1/proof/jobs', { mode: 'light', artefact_id: found.chunkId })).status).toBe(
      404,
    );
  });
});
