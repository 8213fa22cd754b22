import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { anotherKey, resolve } from '../medium/shield/given.js';
import { caller, send, type Answer, type TestApi, type TestTenant } from './app.js';

/** A word that nothing else holds: where it shows, data of the fixture leaks. */
export const SECRET = 'zyzzyva';

/** A tenant with data in every module. */
export interface TenantFixture {
  tenant: TestTenant;
  /** Every id of its own, by the path parameter that takes it; `id` stands for many things. */
  ids: Record<string, string[]>;
  chunkId: string;
  /** Its feedback request. */
  requestId: string;
  approvalToken: string;
  approvedTip: object;
  /** The Cookie header of its owner seat. */
  cookie: string;
  /** The bearer of the agent it sponsors. */
  bearer: string;
  /** A cursor of each of its lists, by the list's path. */
  cursors: Record<string, string>;
}

/** Calls with a session cookie, as a page of the server would. */
export const withCookie =
  (url: string, cookie: string) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    send(url, method, path, body, {
      cookie,
      'sec-fetch-site': 'same-origin',
      ...(method === 'GET' ? {} : { 'x-idempotency-key': crypto.randomUUID() }),
      ...headers,
    });

/** Calls every module once for a tenant and returns the ids. The server needs FEATURE_SELF_SIGNUP. */
export async function makeTenantFixture(api: TestApi, tenant: TestTenant): Promise<TenantFixture> {
  const { tenantId, call } = tenant;
  const must = async (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any> => {
    const answer = await call(method, path, body, headers);
    expect([method, path, answer.status < 300, answer.body.detail]).toEqual([method, path, true, undefined]);
    return answer.body;
  };
  const settle = async (path: string): Promise<any> => {
    for (;;) {
      const body = await must('GET', path);
      if (!['queued', 'processing', 'running'].includes(body.status)) return body;
      await sleep(50);
    }
  };
  const document = (docId: string, content = `The ${SECRET} opens at dawn.`, shareability = 'owner_only') => ({
    tenantId,
    corpusId: 'vault',
    docId,
    title: `${SECRET} title`,
    content,
    url: 'https://example.org/',
    shareability,
  });
  const { accepted } = await must('POST', '/v1/ingest/batch', { documents: [document('a'), document('b')] });
  for (const { ingestId } of accepted) await settle(`/v1/ingest/${ingestId}`);
  const file = await must('POST', `/v1/ingest/file?corpusId=c&fileName=${SECRET}.pdf`, 'no PDF', {
    'content-type': '',
  });
  await settle(`/v1/ingest/${file.ingestId}`);
  const found = await must('POST', '/v1/retrieve', { query: SECRET, lane: 'audit', includeCommons: false });
  const { chunkId } = found.results[0];
  const cited = await must(
    'POST',
    '/v1/citations',
    { agentId: 'a', answerId: `answer-${SECRET}`, idempotencyKey: 'cite-once', citations: [{ chunkId }] },
    { 'x-idempotency-key': '' },
  );
  const job = await must('POST', '/v1/proof/jobs', { agentId: 'a', mode: 'audit', answerId: `answer-${SECRET}` });
  const proof = await settle(`/v1/proof/jobs/${job.jobId}`);

  const invited = await must('POST', '/v1/org/bootstrap-owner', { email: `owner-${SECRET}@example.org` });
  const seated = await send(api.url, 'POST', '/v1/org/accept-invite', { token: invited.inviteToken });
  const cookie = seated.headers.get('set-cookie')!.split(';')[0]!;
  await must('POST', '/v1/org/invite', { email: `second-${SECRET}@example.org` });
  const key = await must('POST', '/v1/org/api-keys', { label: `${SECRET} key` });
  const agent = (await send(api.url, 'POST', '/v1/agents/register', { agentFramework: SECRET })).body;
  const sponsor = await withCookie(api.url, cookie)('POST', `/v1/agents/${agent.agentPrincipalId}/sponsor`, {});
  expect(sponsor.status).toBe(200);

  const bundle = await must('POST', '/v1/bundles', {
    title: 'Shared by design',
    description: 'What a bundle says is for everybody',
    corpora: ['vault'],
    priceCredits: 10,
  });
  await must('POST', '/v1/economy/convert', { agentId: 'a', credits: 100 });
  await must('POST', '/v1/home/a/primitives', {
    kind: 'goal',
    name: SECRET,
    content: { text: SECRET },
    pins: [{ chunkId }],
  });
  await must('POST', '/v1/home/a/journal/events', {
    type: 'schema_adopted',
    data: { name: SECRET, version: '1' },
  });
  const request = await must('POST', '/v1/feedback/requests', { title: `${SECRET} please`, body: SECRET });
  const declaration = await must('POST', '/v1/feedback/revenue/declarations', {
    subject: SECRET,
    amountMinor: 100,
    currency: 'GBP',
    period: 'monthly',
  });
  const hook = await must('POST', '/v1/org/webhooks', { url: 'http://127.0.0.1:9/nowhere', description: SECRET });
  const watch = await must('POST', '/v1/watches', { agentId: 'a', targetType: 'document', targetId: 'vault/a' });

  const digest = `sha256:${Buffer.from(tenantId.padEnd(32, '.').slice(0, 32)).toString('hex')}`;
  await must('POST', '/v1/shield/trust/publishers', { publisherId: SECRET, name: SECRET, reason: SECRET });
  await must('POST', '/v1/shield/servers', { serverId: SECRET, publisherId: SECRET, reason: SECRET });
  await must('POST', '/v1/shield/trust/digests', { digest, publisherId: SECRET, reason: SECRET });
  await must('POST', '/v1/shield/sampling-policies', { name: SECRET, ratePerMillion: 1_000_000 });
  const killSwitch = await must('POST', '/v1/shield/kill-switches', {
    scope: 'action',
    target: 'POST /v1/feedback/surveys/current/responses',
    reason: SECRET,
  });
  const approvedTip = { agentId: 'a', credits: 150, message: SECRET };
  const asked = await call('POST', '/v1/economy/tip-platform', approvedTip);
  expect(asked.body.type).toBe('ShieldApprovalRequired');
  const { approvalRequestId } = asked.body;
  const session = await must('POST', '/v1/shield/ui-integrity-sessions', { approvalRequestId });
  // Not by the seat that the asking key invited.
  const resolved = await resolve(await anotherKey(api, tenant), approvalRequestId, { reason: SECRET });
  expect(resolved.status).toBe(200);
  const drill = await must('POST', '/v1/shield/incident-drills', { kind: 'receipt_tampering', reason: SECRET });
  const deliveries = await until(async () => {
    const { deliveries: made } = await must('GET', `/v1/org/webhooks/${hook.webhookId}/deliveries`);
    return made.length > 0 ? made : undefined;
  });
  const person = await must('POST', '/scim/v2/Users', { userName: 'person@example.org', externalId: SECRET });
  const staff = await must('POST', '/scim/v2/Groups', {
    displayName: 'Staff',
    externalId: SECRET,
    members: [{ value: person.id }],
  });
  const cursors: Record<string, string> = {};
  for (const path of LISTS) {
    const { next_cursor: next } = await must('GET', `${path}?limit=1`);
    if (next) cursors[path] = next;
  }
  return {
    tenant,
    chunkId,
    requestId: request.requestId,
    cookie,
    cursors,
    bearer: agent.sessionToken,
    approvalToken: resolved.body.approvalToken,
    approvedTip,
    ids: {
      id: [
        ...[accepted[0].ingestId, job.jobId, invited.seat.id, key.id, request.requestId],
        ...[declaration.declarationId, watch.watchId, drill.drillId, session.uiIntegritySessionId],
      ],
      corpusId: ['vault'],
      chunkId: [chunkId],
      docId: ['a'],
      answerId: [`answer-${SECRET}`],
      receiptId: [
        ...[accepted[0].receiptId, cited.receiptId, proof.receiptId, found.meta.receiptId],
        found.meta.retrievalReceiptId,
      ].filter(Boolean),
      agentId: ['a'],
      agentPrincipalId: [agent.agentPrincipalId],
      bundleId: [bundle.bundleId],
      serverId: [SECRET],
      approvalRequestId: [approvalRequestId],
      killSwitchId: [killSwitch.killSwitchId],
      userId: [person.id],
      groupId: [staff.id],
      webhookId: [hook.webhookId],
      deliveryId: [deliveries[0].deliveryId],
    },
  };
}

/** Lists that take nothing but a page. */
export const LISTS = [
  '/v1/documents',
  '/v1/org/seats',
  '/v1/org/api-keys',
  '/v1/events',
  '/v1/home/a/journal',
  '/v1/shield/decisions',
];

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 300; i++) {
    const value = await find();
    if (value !== undefined) return value;
    await sleep(100);
  }
  throw new Error('it did not come about');
}

/** The owner's key on another server of the same database. */
export const keyOn = (url: string, { tenantId, apiKey }: TestTenant) => caller(url, tenantId, apiKey);
