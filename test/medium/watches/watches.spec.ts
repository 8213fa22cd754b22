import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startReceiver, type Receiver } from '../outbox/given.js';
import { alertsOf, changesOf, given, watch } from './given.js';

let api: TestApi;
let acme: TestTenant;
let umbrella: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  api = await startApi();
  acme = api.tenant;
  umbrella = await api.addTenant('umbrella');
  for (const docId of ['a', 'b', 'c']) await given(acme, docId, `Text of ${docId}.`);
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});

const soon = { timeout: 15_000 };
const listed = async (tenant: TestTenant, query = ''): Promise<any[]> =>
  (await tenant.call('GET', `/v1/watches${query}`)).body.watches;

describe('watches', () => {
  it('are refused with the member named where there is nothing to watch, or the members do not fit', async () => {
    for (const [request, status, path] of [
      [{ targetType: 'answer', targetId: 'none' }, 404, 'body.targetId'],
      [{ targetType: 'document', targetId: 'handbook/none' }, 404, 'body.targetId'],
      [{ targetType: 'document', targetId: 'none' }, 404, 'body.targetId'],
      [{ targetType: 'artefact', targetId: 'none' }, 404, 'body.targetId'],
      [{ targetType: 'answer' }, 400, 'body.targetId'],
      [{ targetType: 'query' }, 400, 'body.query'],
      [{ targetType: 'query', query: { query: 'x' } }, 400, 'body.query.query'],
      [{ targetType: 'document', targetId: 'handbook/a', query: { query: 'xx' } }, 400, 'body.query'],
      [{ targetType: 'nothing', targetId: 'a' }, 400, 'body.targetType'],
      [{ targetType: 'document', targetId: 'handbook/a', webhookUrl: 'ftp://x/' }, 400, 'body.webhookUrl'],
    ] as const) {
      const answer = await acme.call('POST', '/v1/watches', request);
      expect([request, answer.status, answer.body.issues?.[0].path]).toEqual([request, status, path]);
    }
    expect(await listed(acme)).toEqual([]);
  });

  it('of the same by the same caller are one: a second is refused with the id of the first, also at the same moment', async () => {
    const request = { targetType: 'document', targetId: 'handbook/a', agentId: 'twin' };
    const answers = await Promise.all([1, 2, 3].map(() => acme.call('POST', '/v1/watches', request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201)!.body;
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      type: 'WatchExists',
      watchId: made.watchId,
    });
    await watch(acme, { ...request, agentId: 'other' });
    expect((await acme.call('DELETE', `/v1/watches/${made.watchId}`)).status).toBe(200);
    await watch(acme, request);
  });

  it('of a question have a name that is the same for the same question, and that no other tenant could make', async () => {
    const request = { targetType: 'query', query: { query: 'how long is leave' }, agentId: 'asker' };
    const made = await watch(acme, request);
    expect(made.targetId).toMatch(/^query:[0-9a-f]{32}$/);
    const again = await acme.call('POST', '/v1/watches', request);
    expect([again.status, again.body.watchId]).toEqual([409, made.watchId]);
    const theirs = await watch(umbrella, request);
    expect(theirs.targetId).not.toBe(made.targetId);
    expect((await umbrella.call('DELETE', `/v1/watches/${theirs.watchId}`)).status).toBe(200);
    const unkeyed = createHash('sha256').update(canonicalize({ ...made.query, minScore: null })!);
    expect(made.targetId).not.toBe(`query:${unkeyed.digest('hex').slice(0, 32)}`);
  });

  it("are listed by page and filter, and are their tenant's alone", async () => {
    const made = await watch(acme, { targetType: 'artefact', targetId: 'handbook/b', agentId: 'lister' });
    await watch(acme, { targetType: 'query', query: { query: 'text' }, agentId: 'lister', targetId: 'my question' });
    const ids = async (query: string) => (await listed(acme, query)).map(({ targetId }) => targetId);
    expect(await ids('?agentId=lister')).toEqual(['handbook/b', 'my question']);
    expect(await ids('?agentId=lister&targetType=artefact')).toEqual(['handbook/b']);
    expect(await ids('?agentId=lister&targetId=my%20question')).toEqual(['my question']);
    expect(await ids('?agentId=lister&active=false')).toEqual([]);
    const first = (await acme.call('GET', '/v1/watches?agentId=lister&limit=1')).body;
    const second = (await acme.call('GET', `/v1/watches?agentId=lister&limit=1&cursor=${first.next_cursor}`)).body;
    expect([...first.watches, ...second.watches].map(({ targetId }) => targetId)).toEqual([
      'handbook/b',
      'my question',
    ]);
    expect(second.next_cursor).toBeNull();
    expect(await listed(umbrella)).toEqual([]);
    for (const [verb, path] of [
      ['GET', '/alerts'],
      ['DELETE', ''],
    ] as const) {
      expect((await umbrella.call(verb, `/v1/watches/${made.watchId}${path}`)).status).toBe(404);
    }
    expect(
      (await umbrella.call('POST', '/v1/watches', { targetType: 'document', targetId: 'handbook/b' })).status,
    ).toBe(404);
  });

  it('raise no alert and send nothing once they are ended; what they had raised stays readable', async () => {
    const made = await watch(acme, {
      targetType: 'document',
      targetId: 'handbook/c',
      agentId: 'ending',
      webhookUrl: `${receiver.url}/c`,
    });
    const witness = await watch(acme, { targetType: 'document', targetId: 'handbook/c', agentId: 'witness' });
    await given(acme, 'c', 'Second text of c.');
    await expect.poll(() => receiver.at('/c').length, soon).toBe(1);
    const ended = await acme.call('DELETE', `/v1/watches/${made.watchId}`);
    expect([ended.status, ended.body]).toEqual([
      200,
      expect.objectContaining({ active: false, endedAt: expect.any(String), alertCount: 1 }),
    ]);
    expect((await acme.call('DELETE', `/v1/watches/${made.watchId}`)).status).toBe(404);
    await given(acme, 'c', 'Third text of c.');
    await expect.poll(() => changesOf(acme, witness), soon).toEqual(['new_version', 'new_version']);
    expect(await changesOf(acme, made)).toEqual(['new_version']);
    expect(receiver.at('/c')).toHaveLength(1);
    const [, latest] = await alertsOf(acme, witness);
    expect(await alertsOf(acme, witness, `?since=${latest.occurredAt}`)).toEqual([latest]);
    const first = (await acme.call('GET', `/v1/watches/${witness.watchId}/alerts?limit=1`)).body;
    expect(await alertsOf(acme, witness, `?cursor=${first.next_cursor}`)).toEqual([latest]);
  });

  it('of a seat or an agent end with its right, and those of a key do not', async () => {
    const ends: [string, string, boolean][] = [
      ['seat:00000000-0000-4000-8000-000000000001', 'seat revoked', true],
      ['agent:00000000-0000-4000-8000-000000000002', 'agent revoked', true],
      ['key:00000000-0000-4000-8000-000000000003', 'key revoked', false],
    ];
    for (const [principal, reason, ending] of ends) {
      const made = await watch(acme, {
        targetType: 'document',
        targetId: 'handbook/a',
        agentId: principal,
        webhookUrl: `${receiver.url}/e`,
      });
      await api.database.query('update watch set principal = $2 where watch_id = $1', [made.watchId, principal]);
      await api.database.query(`insert into principal_end (tenant_id, principal, reason) values ('acme', $1, $2)`, [
        principal,
        reason,
      ]);
      const hooks = (await acme.call('GET', '/v1/org/webhooks?limit=200')).body.webhooks.map(
        (one: any) => one.webhookId,
      );
      expect([
        principal,
        (await listed(acme, `?agentId=${principal}`)).length,
        hooks.includes(made.webhook.webhookId),
      ]).toEqual([principal, ending ? 0 : 1, !ending]);
    }
  });

  it('are not for tenants of the free tier, nor there when the feature is off', async () => {
    const free = await api.addTenant('free', 'free');
    const gated = await startApi({ database: api.database, env: { FEATURE_WATCHES: '0' } });
    const id = '00000000-0000-4000-8000-000000000000';
    for (const [verb, path] of [
      ['POST', ''],
      ['GET', ''],
      ['GET', `/${id}/alerts`],
      ['DELETE', `/${id}`],
    ] as const) {
      const body = verb === 'POST' ? {} : undefined;
      const [refused, off] = [
        await free.call(verb, `/v1/watches${path}`, body),
        await gated.tenant.call(verb, `/v1/watches${path}`, body),
      ];
      expect([verb, path, refused.status, refused.body.type, off.status, off.body.type]).toEqual([
        verb,
        path,
        403,
        'Forbidden',
        412,
        'FeatureDisabled',
      ]);
    }
    await gated.close();
  });
});
