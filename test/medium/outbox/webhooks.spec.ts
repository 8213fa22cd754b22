import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { lockKeyOf } from '../../../src/common/tenancy/tenancy.js';
import { claimDue } from '../../../src/modules/events/outbox/webhooks/due-deliveries.store.js';
import { postWebhook } from '../../../src/modules/events/outbox/webhooks/webhook-sender.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { emit, startReceiver, type Receiver } from './given.js';

let api: TestApi;
let umbrella: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  api = await startApi({ env: { SVC_WEBHOOK_RETRY_SECONDS: '0.05,0.1', SVC_WEBHOOK_TIMEOUT_MS: '1500' } });
  umbrella = await api.addTenant('umbrella');
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});

interface Hook {
  webhookId: string;
  secret: string;
  path: string;
}

async function givenHook(tenant: TestTenant, path: string, kinds: string[] = []): Promise<Hook> {
  const { status, body } = await tenant.call('POST', '/v1/org/webhooks', { url: receiver.url + path, kinds });
  expect([status, body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
  return { ...body, path };
}

const deliveriesOf = async (tenant: TestTenant, { webhookId }: Hook, query = ''): Promise<any[]> => {
  const { status, body } = await tenant.call('GET', `/v1/org/webhooks/${webhookId}/deliveries${query}`);
  expect(status).toBe(200);
  return body.deliveries;
};
const statesOf = async (tenant: TestTenant, hook: Hook) =>
  (await deliveriesOf(tenant, hook)).map((delivery) => [delivery.subject, delivery.status, delivery.attempts.length]);
/** Events wait for the oldest transaction of the whole server, which may be one of another test. */
const soon = { timeout: 30_000 };
vi.setConfig({ testTimeout: 90_000 });

describe('a webhook', () => {
  it('is sent what was asked for, signed so that the public library verifies it', async () => {
    await emit(api, api.tenant, 'test.wanted', 'too early');
    const hook = await givenHook(api.tenant, '/signed', ['test.wanted', 'family.*']);
    await givenHook(umbrella, '/umbrella');
    const id = await emit(api, api.tenant, 'test.wanted', 'one');
    await emit(api, api.tenant, 'test.unwanted', 'two');
    await emit(api, api.tenant, 'family.grown.up', 'three');
    await expect
      .poll(
        () =>
          receiver
            .at('/signed')
            .map(({ event }) => event.subject)
            .sort(),
        soon,
      )
      .toEqual(['one', 'three']);
    const first = receiver.at('/signed').find(({ event }) => event.subject === 'one')!;
    expect(new Webhook(hook.secret).verify(first.body, first.headers as Record<string, string>)).toEqual({
      specversion: '1.0',
      id,
      source: 'svc',
      type: 'test.wanted',
      subject: 'one',
      time: expect.any(String),
      datacontenttype: 'application/json',
      tenant_id: 'acme',
      data: { subject: 'one' },
    });
    expect(first.headers['webhook-id']).toBe(id);
    expect(() => new Webhook(hook.secret).verify(`${first.body} `, first.headers as Record<string, string>)).toThrow();
    expect(receiver.at('/umbrella').filter(({ event }) => event.tenant_id !== 'umbrella')).toEqual([]);
    // Everything is gone through once more: neither what came before the webhook is sent, nor anything twice.
    await api.database.query(`update outbox_cursor set transaction = '0', position = 0 where sink = 'webhooks'`);
    await emit(api, api.tenant, 'test.wanted', 'four');
    await expect
      .poll(
        () =>
          receiver
            .at('/signed')
            .map(({ event }) => event.subject)
            .sort(),
        soon,
      )
      .toEqual(['four', 'one', 'three']);
    const stored = await api.database.query<{ secret: string }>('select secret from webhook_endpoint');
    expect(stored.filter(({ secret }) => secret.includes(hook.secret.slice(6)))).toEqual([]);
  });

  it('is tried again until it answers 2xx, always under one webhook-id, and redirects are not followed', async () => {
    const hook = await givenHook(api.tenant, '/shaky', ['shaky.test']);
    receiver.answers.set('/shaky', [302, 500]);
    const id = await emit(api, api.tenant, 'shaky.test', 's');
    await expect.poll(() => statesOf(api.tenant, hook), soon).toEqual([['s', 'delivered', 3]]);
    const [delivery] = await deliveriesOf(api.tenant, hook, '?status=delivered');
    expect(delivery).toEqual({
      deliveryId: expect.any(String),
      eventId: id,
      kind: 'shaky.test',
      subject: 's',
      status: 'delivered',
      nextAttemptAt: null,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
      attempts: [
        [1, 302, 'answered 302; redirects are not followed'],
        [2, 500, 'answered 500'],
        [3, 204, null],
      ].map(([attempt, status, error]) => ({
        attempt,
        status,
        error,
        at: expect.any(String),
        durationMs: expect.any(Number),
      })),
    });
    expect(receiver.at('/shaky').map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('is dead after the last attempt, and can be sent again by hand', async () => {
    const hook = await givenHook(api.tenant, '/dead', ['dead.test']);
    receiver.answers.set('/dead', [500, 500, 500]);
    await emit(api, api.tenant, 'dead.test', 'd');
    await expect.poll(() => statesOf(api.tenant, hook), soon).toEqual([['d', 'dead', 3]]);
    const [{ deliveryId }] = await deliveriesOf(api.tenant, hook, '?status=dead');
    const path = `/v1/org/webhooks/${hook.webhookId}/deliveries/${deliveryId}/redeliver`;
    expect((await umbrella.call('POST', path)).status).toBe(404);
    const again = await api.tenant.call('POST', path);
    expect([again.status, again.body.status, again.body.attempts.length]).toEqual([200, 'pending', 3]);
    await expect.poll(() => statesOf(api.tenant, hook), soon).toEqual([['d', 'delivered', 4]]);
  });

  it('that answers 410 is disabled, once, and is sent nothing more', async () => {
    const hook = await givenHook(api.tenant, '/gone', ['gone.test']);
    receiver.answers.set('/gone', [410]);
    await emit(api, api.tenant, 'gone.test', 'g');
    await expect.poll(() => statesOf(api.tenant, hook), soon).toEqual([['g', 'dead', 1]]);
    await emit(api, api.tenant, 'gone.test', 'h');
    const witness = await givenHook(api.tenant, '/witness', ['gone.test']);
    await emit(api, api.tenant, 'gone.test', 'i');
    await expect.poll(() => statesOf(api.tenant, witness), soon).toEqual([['i', 'delivered', 1]]);
    expect(await statesOf(api.tenant, hook)).toEqual([['g', 'dead', 1]]);
    const { webhooks } = (await api.tenant.call('GET', '/v1/org/webhooks')).body;
    expect(webhooks.find((one: any) => one.webhookId === hook.webhookId)).toMatchObject({
      status: 'disabled',
      disabledReason: 'the endpoint answered 410 Gone',
    });
    const [{ deliveryId }] = await deliveriesOf(api.tenant, hook);
    const again = await api.tenant.call(
      'POST',
      `/v1/org/webhooks/${hook.webhookId}/deliveries/${deliveryId}/redeliver`,
    );
    expect([again.status, again.body.type]).toEqual([409, 'WebhookDisabled']);
  });

  it('that never answers holds up no other, and its attempts end with the time-out', async () => {
    const slow = await givenHook(umbrella, '/never', ['slow.test']);
    const quick = await givenHook(umbrella, '/quick', ['slow.test']);
    receiver.answers.set('/never', () => undefined);
    const subjects = Array.from({ length: 12 }, (_, n) => `n${n}`);
    for (const subject of subjects) await emit(api, umbrella, 'slow.test', subject);
    await expect
      .poll(
        () =>
          receiver
            .at('/quick')
            .map(({ event }) => event.subject)
            .sort(),
        soon,
      )
      .toEqual([...subjects].sort());
    expect((await deliveriesOf(umbrella, slow)).every(({ status }) => status === 'pending')).toBe(true);
    expect(receiver.at('/never').length).toBeLessThanOrEqual(8);
    await expect
      .poll(async () => (await deliveriesOf(umbrella, slow)).flatMap(({ attempts }) => attempts)[0]?.error, soon)
      .toBe('no answer within 1500 ms');
    expect((await umbrella.call('DELETE', `/v1/org/webhooks/${slow.webhookId}`)).status).toBe(200);
    expect(await deliveriesOf(umbrella, quick)).toHaveLength(12);
  });

  it('gets the place that becomes free before one of a tenant that has attempts under way', async () => {
    const busy = await givenHook(api.tenant, '/busy', ['place.test']);
    const patient = await givenHook(umbrella, '/patient', ['place.test']);
    const rolledBack = new Error('nothing of this is kept');
    let taken: string[] = [];
    const claim = api.app.get(CrossTenant).run('webhook claims', async (query) => {
      // Those of other tests are not due meanwhile.
      await query(`update webhook_delivery set next_at = now() + interval '1 day'`);
      await query(
        `insert into webhook_delivery (tenant_id, endpoint_id, event_id, kind, subject, payload, next_at, leased_until)
         select d.tenant, d.endpoint::uuid, gen_random_uuid(), 'place.test', 's', '{}', now() - d.age, d.leased
         from (values ('acme', $1, interval '2 hours', now() + interval '1 minute'), ('acme', $1, interval '1 hour', null),
           ('umbrella', $2, interval '1 minute', null)) d (tenant, endpoint, age, leased)`,
        [busy.webhookId, patient.webhookId],
      );
      const bounds = { free: 1, perEndpoint: 4, perTenant: 16, leaseSeconds: 60 };
      taken = (await claimDue(query, bounds)).map(({ endpoint_id }) => endpoint_id);
      throw rolledBack;
    });
    await expect(claim).rejects.toBe(rolledBack);
    expect(taken).toEqual([patient.webhookId]);
  });

  it('with a new secret is signed with both for a while', async () => {
    const hook = await givenHook(api.tenant, '/rotated', ['rotated.test']);
    const { status, body } = await api.tenant.call('POST', `/v1/org/webhooks/${hook.webhookId}/rotate-secret`);
    expect([status, body]).toEqual([
      200,
      {
        webhookId: hook.webhookId,
        secret: expect.stringMatching(/^whsec_/),
        previousSecretValidUntil: expect.any(String),
      },
    ]);
    await emit(api, api.tenant, 'rotated.test', 'r');
    await expect.poll(() => receiver.at('/rotated').length, soon).toBe(1);
    const [{ headers, body: payload }] = receiver.at('/rotated') as [any];
    for (const secret of [hook.secret, body.secret]) {
      expect(new Webhook(secret).verify(payload, headers)).toMatchObject({ subject: 'r' });
    }
    expect(() => new Webhook(`whsec_${btoa('another secret')}`).verify(payload, headers)).toThrow();
  });

  it('with a new secret again is signed with all that were said to be valid', async () => {
    const hook = await givenHook(api.tenant, '/rotated-again', ['rotated.again']);
    const rotate = async () =>
      (await api.tenant.call('POST', `/v1/org/webhooks/${hook.webhookId}/rotate-secret`)).body.secret as string;
    const secrets = [hook.secret, await rotate(), await rotate(), await rotate()];
    await emit(api, api.tenant, 'rotated.again', 'r');
    await expect.poll(() => receiver.at('/rotated-again').length, soon).toBe(1);
    const [{ headers, body }] = receiver.at('/rotated-again') as [any];
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toMatchObject({ subject: 'r' });
    await api.database.query(
      `update webhook_endpoint set earlier_secrets = jsonb_set(earlier_secrets, '{1,until}', '"2026-01-01T00:00:00Z"') where endpoint_id = $1`,
      [hook.webhookId],
    );
    await emit(api, api.tenant, 'rotated.again', 'later');
    await expect.poll(() => receiver.at('/rotated-again').length, soon).toBe(2);
    expect(receiver.at('/rotated-again')[1]!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+ v1,\S+$/);
  });

  it('that is deleted is gone, and nobody else can touch it', async () => {
    const hook = await givenHook(api.tenant, '/deleted', ['deleted.test']);
    const path = `/v1/org/webhooks/${hook.webhookId}`;
    for (const [verb, suffix] of [
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
    ] as const) {
      expect([verb, suffix, (await umbrella.call(verb, path + suffix)).status]).toEqual([verb, suffix, 404]);
    }
    expect((await api.tenant.call('DELETE', path)).body).toEqual({
      webhookId: hook.webhookId,
      deletedAt: expect.any(String),
    });
    expect((await api.tenant.call('DELETE', path)).status).toBe(404);
    await emit(api, api.tenant, 'deleted.test', 'x');
    const witness = await givenHook(api.tenant, '/deleted-witness', ['deleted.test']);
    await emit(api, api.tenant, 'deleted.test', 'y');
    await expect.poll(() => statesOf(api.tenant, witness), soon).toEqual([['y', 'delivered', 1]]);
    expect(receiver.at('/deleted')).toEqual([]);
  });
});

describe('a delivery', () => {
  it('that is made while its webhook ends is given up like those that were there', async () => {
    const hook = await givenHook(api.tenant, '/ended', ['ended.test']);
    receiver.answers.set('/ended', [410]);
    await emit(api, api.tenant, 'ended.test', 'e');
    await expect.poll(() => statesOf(api.tenant, hook), soon).toEqual([['e', 'dead', 1]]);
    await api.database.query(
      `insert into webhook_delivery (tenant_id, endpoint_id, event_id, kind, subject, payload)
       values ('acme', $1, gen_random_uuid(), 'ended.test', 'late', '{}')`,
      [hook.webhookId],
    );
    const state = async () => (await statesOf(api.tenant, hook)).find(([subject]) => subject === 'late');
    await expect.poll(state, soon).toEqual(['late', 'dead', 0]);
  });

  it('is made of no event that an erasure removes meanwhile', async () => {
    const tenant = await api.addTenant('erasing');
    const hook = await givenHook(tenant, '/erasing', ['erasing.test']);
    const erasing = `select pg_advisory_xact_lock(hashtextextended('${lockKeyOf('erasing', 'copied texts')}'::jsonb::text, 0))`;
    await whileLocked(api.database, erasing, async (held) => {
      await emit(api, tenant, 'erasing.test', 'erased');
      await held.waitForBlocked(1, 'pg_advisory_xact_lock_shared');
      await held.query(`delete from outbox_event where subject = 'erased'`);
      await held.commit();
    });
    await emit(api, tenant, 'erasing.test', 'kept');
    await expect.poll(() => statesOf(tenant, hook), soon).toEqual([['kept', 'delivered', 1]]);
  });
});

describe('docs/events.md', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  const example = (language: string, word: string) =>
    [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
      ([, name, text]) => name === language && text!.includes(word),
    )![2]!;

  it('shows by Node.js and by openssl how a signature is verified, and both work', async () => {
    const hook = await givenHook(api.tenant, '/documented', ['documented.test']);
    await emit(api, api.tenant, 'documented.test', 'it’s "ünïcode"');
    await expect.poll(() => receiver.at('/documented').length, soon).toBe(1);
    const [{ headers, body }] = receiver.at('/documented') as [any];
    const file = join(import.meta.dirname, `documented-${process.pid}.mjs`);
    writeFileSync(file, example('js', 'standardwebhooks'));
    try {
      const { readEvent } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
        readEvent(secret: string, headers: object, body: string): unknown;
      };
      expect(readEvent(hook.secret, headers, body)).toMatchObject({ subject: 'it’s "ünïcode"' });
      expect(() => readEvent(hook.secret, headers, `${body} `)).toThrow();
    } finally {
      rmSync(file);
    }
    const verify = (payload: string) =>
      execFileSync('sh', ['-c', example('sh', 'openssl')], {
        env: {
          PATH: process.env['PATH'],
          SECRET: hook.secret,
          WEBHOOK_ID: headers['webhook-id'],
          WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
          WEBHOOK_SIGNATURE: headers['webhook-signature'],
          BODY: payload,
        },
      }).toString();
    expect([verify(body), verify(`${body} `)]).toEqual(['valid\n', 'invalid\n']);
  });
});

describe('an address', () => {
  it('is called by its scheme, however that is written', async () => {
    for (const url of [receiver.url.replace('http:', 'HTTPS:'), ` ${receiver.url.replace('http:', 'https:')}`]) {
      const posting = { url, id: 'msg', payload: '{}', secrets: [`whsec_${btoa('secret')}`] };
      const { error } = await postWebhook({ ...posting, timeoutMs: 5_000, isPrivateAllowed: true });
      // The receiver speaks no TLS, and was asked to.
      expect([url, error]).toEqual([url, expect.stringMatching(/ssl/i)]);
    }
  });

  it('that is no address for a webhook is refused by name', async () => {
    for (const [request, path] of [
      [{ url: 'ftp://example.org/' }, 'body.url'],
      [{ url: 'https://user:pass@example.org/' }, 'body.url'],
      [{ url: `${receiver.url}/`, kinds: ['No Kind'] }, 'body.kinds[0]'],
    ] as const) {
      const { status, body } = await api.tenant.call('POST', '/v1/org/webhooks', request);
      expect([request, status, body.issues?.[0].path]).toEqual([request, 400, path]);
    }
  });

  it('that is private is refused in production, at registration and again at the call', async () => {
    const production = await startApi({
      database: api.database,
      env: {
        NODE_ENV: 'production',
        SVC_BOOTSTRAP_API_KEY: 'y'.repeat(32),
        SVC_SESSION_SECRET: 'x'.repeat(32),
        SVC_WEBHOOK_RETRY_SECONDS: '0.05',
        SVC_JOBS: '0',
      },
    });
    for (const url of [receiver.url, 'https://127.0.0.1/', 'https://169.254.169.254/', 'https://localhost/']) {
      const { status, body } = await production.tenant.call('POST', '/v1/org/webhooks', { url });
      expect([url, status, body.issues?.[0].path]).toEqual([url, 400, 'body.url']);
    }
    await production.close();
  });
});
