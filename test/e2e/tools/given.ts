import { expect } from 'vitest';
import type { TestApi, TestTenant } from '../../kit/app.js';
import { caller, send } from '../../kit/app.js';
import type { TenantFixture } from '../../kit/tenant-fixture.js';
import { until } from '../processes/svc-process.js';
import type { Doer } from './tool-effects.js';
import type { Given } from './tool-reads.js';

type Call = TestTenant['call'];

/** Calls, and fails the test where the API does not do it. */
export async function must(call: Call, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await call(method, path, body);
  expect([method, path, answer.status < 300, answer.body.message]).toEqual([method, path, true, undefined]);
  return answer.body;
}

/** Ingests into `<corpus>/<docId>`, and waits until it is found. */
async function ingest(
  { call, tenantId }: Pick<TestTenant, 'call' | 'tenantId'>,
  documents: { corpusId: string; docId: string; content: string; shareability?: string }[],
): Promise<void> {
  const whole = documents.map((one) => ({ ...one, tenantId, title: one.docId, url: 'https://example.org/' }));
  const { accepted } = await must(call, 'POST', '/v1/ingest/batch', { documents: whole });
  for (const { ingestId } of accepted)
    await until(`the end of ingest ${ingestId}`, async () => {
      return (await call('GET', `/v1/ingest/${ingestId}`)).body.status === 'completed';
    });
}

/** A tenant whose watched and pinned documents have changed since: no list is empty. */
export async function givenSomethingHappened(fixture: TenantFixture): Promise<Given> {
  const { tenant, ids, bearer } = fixture;
  const { watches } = await must(tenant.call, 'GET', '/v1/watches?agentId=a');
  const { watchId } = watches[0];
  const content = 'The zyzzyva opens at dawn and closes at dusk.';
  await ingest(tenant, [
    { corpusId: 'vault', docId: 'a', content },
    { corpusId: 'vault', docId: 'b', content },
  ]);
  const lengthOf = async (path: string, list: string) => (await tenant.call('GET', path)).body[list].length as number;
  const lists = [
    [`/v1/watches/${watchId}/alerts`, 'alerts'],
    ['/v1/home/a/journal?type=watch_alert', 'entries'],
    ['/v1/home/a/stale-pins', 'stale_pins'],
  ] as const;
  for (const [path, list] of lists) await until(`one of ${list}`, async () => (await lengthOf(path, list)) === 1);
  const jobs = await Promise.all(ids['id']!.map((id) => tenant.call('GET', `/v1/proof/jobs/${id}`)));
  const job = jobs.find(({ status }) => status === 200)!.body;
  return {
    agentId: 'a',
    answerId: ids['answerId']![0]!,
    jobId: job.jobId,
    receiptId: job.receiptId,
    watchId,
    requestTitle: 'zyzzyva please',
    sessionToken: bearer,
  };
}

export interface KeyedDoer extends Doer {
  apiKey: string;
}

/**
 * A principal of the tenant with a key of its own, and with a bundle, a request and a watch that nobody else touches.
 */
export async function givenDoer(api: TestApi, tenant: TestTenant, press: TestTenant, slug: string): Promise<KeyedDoer> {
  const { apiKey } = await must(tenant.call, 'POST', '/v1/org/api-keys', { label: slug });
  const call = caller(api.url, tenant.tenantId, apiKey);
  const agentId = `agent-${slug}`;
  const corpusId = `press-${slug}`;
  await ingest(press, [{ corpusId, docId: 'x', content: `Printed for ${slug}.`, shareability: 'entitled_only' }]);
  const offer = { title: `For ${slug}`, description: 'Printed', corpora: [corpusId], priceCredits: 10 };
  const { bundleId } = await must(press.call, 'POST', '/v1/bundles', offer);
  const wish = { title: `Vote for ${slug}.`, body: 'Please.' };
  const { requestId } = await must(tenant.call, 'POST', '/v1/feedback/requests', wish);
  const watch = { agentId, targetType: 'document', targetId: 'vault/a' };
  const { watchId } = await must(call, 'POST', '/v1/watches', watch);
  return { slug, call, apiKey, agentId, bundleId, requestId, watchId };
}

/** An agent that registered itself, by its bearer. */
export const givenAgent = async (api: TestApi): Promise<{ sessionToken: string; agentPrincipalId: string }> =>
  (await send(api.url, 'POST', '/v1/agents/register', { agentFramework: 'outside' })).body;
