import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Mailer } from '../../../src/common/mail/mailer.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { freshDatabase } from '../../kit/database.js';
import { smtpError, startMailServer, type MailServer } from '../../kit/mail.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
function keep<T extends { close(): Promise<void> }>(thing: T): T {
  closing.push(() => thing.close());
  return thing;
}

const TEXT = `Grüße: https://svc.example/invitations/${'x'.repeat(90)}?token=secret`;
const mail = (to = 'ann@example.org') => ({ to, subject: 'You are invited', text: TEXT });
const start = async (url: string, options: Parameters<typeof startApi>[0] = {}) =>
  startApi({ ...options, env: { SVC_SMTP_URL: url, SVC_MAIL_FROM: 'svc <svc@example.org>', ...options.env } });

/** Sends in a unit of work of the tenant, which fails afterwards if a failure is given. */
const post = (api: TestApi, to?: string, failure?: Error) =>
  api.app.get(Tenancy).run(api.tenant.tenantId, async () => {
    await api.app.get(Mailer).send(mail(to));
    if (failure) throw failure;
  });
const waiting = async (api: TestApi) => (await api.database.query('select 1 from outgoing_mail')).length;
async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (await check()) return;
    await sleep(25);
  }
  throw new Error(`${what} did not come about`);
}
const count = async (api: TestApi, result: string) => {
  const { values } = await api.app.get(Metrics).counter('svc_mail_total', '', ['result']).get();
  return values.find(({ labels }) => labels.result === result)?.value ?? 0;
};

describe('mail', () => {
  let server: MailServer;
  let api: TestApi;
  /** What the server answers to a recipient, where it does not take it. */
  let refusal: (address: string) => Error | undefined = () => undefined;
  const onRecipient = (address: string) => refusal(address);
  const results = async () => ({
    received: server.received.length,
    delivered: await count(api, 'delivered'),
    rejected: await count(api, 'rejected'),
  });
  beforeAll(async () => {
    server = await startMailServer({ onRecipient });
    api = await start(server.url);
  });
  afterAll(async () => {
    await api.close();
    await server.close();
  });

  it('is counted from nought by each result, so that the first loss is a rise', async () => {
    const { values } = await api.app.get(Metrics).counter('svc_mail_total', '', ['result']).get();
    expect(values.map(({ value, labels }) => [labels.result, value])).toEqual(
      ['delivered', 'deferred', 'rejected', 'expired', 'unreadable'].map((result) => [result, 0]),
    );
  });

  it('is delivered once, and leaves nothing of what it says behind', async () => {
    await expect(post(api, 'nobody@example.org', new Error('rolled back'))).rejects.toThrow('rolled back');
    await post(api);
    const [received] = await server.until(1);
    expect(received).toEqual({
      to: 'ann@example.org',
      from: 'svc <svc@example.org>',
      subject: 'You are invited',
      text: TEXT,
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@svc>$/),
    });
    await until('the removal', async () => (await waiting(api)) === 0);
    const jobs = await api.database.query(`select data, output from pgboss.job where name like 'mail%'`);
    expect(jobs).toHaveLength(1);
    expect(JSON.stringify(jobs)).not.toMatch(/secret|example/);
    expect(await results()).toEqual({ received: 1, delivered: 1, rejected: 0 });
  });

  it('is given up when the server refuses the recipient for good, and others go on', async () => {
    refusal = (to) => (to.startsWith('gone') ? smtpError(550) : undefined);
    await post(api, 'gone@example.org');
    await post(api, 'ann@example.org');
    await server.until(2);
    await until('the end of both', async () => (await waiting(api)) === 0);
    expect(await results()).toEqual({ received: 2, delivered: 2, rejected: 1 });
    expect(await count(api, 'deferred')).toBe(0);
  });

  it('is tried again after a refused connection and after a 4xx', async () => {
    const { port, received: before } = server;
    await server.close();
    await post(api);
    await until('the first attempt', async () => (await count(api, 'deferred')) > 0);
    let refusals = 0;
    refusal = () => (refusals++ === 0 ? smtpError(451) : undefined);
    server = await startMailServer({ port, onRecipient });
    await server.until(1);
    await until('the removal', async () => (await waiting(api)) === 0);
    expect([before.length, refusals, await results()]).toEqual([2, 2, { received: 1, delivered: 3, rejected: 1 }]);
    const outputs = await api.database.query<{ output: unknown }>(`select output from pgboss.job where name = 'mail'`);
    expect(JSON.stringify(outputs)).not.toContain('example');
  });

  it('is not kept where no server is set', async () => {
    const without = keep(await startApi({ database: api.database, env: { SVC_JOBS: '0' } }));
    const jobs = () => api.database.query(`select 1 from pgboss.job where name = 'mail'`);
    const before = (await jobs()).length;
    await post(without);
    expect([await waiting(api), (await jobs()).length]).toEqual([0, before]);
  });

  it('reveals nothing to a reader of the database, nor to a server with another secret', async () => {
    const server = keep(await startMailServer());
    const database = await freshDatabase();
    closing.push(() => database.drop());
    const first = await start(server.url, { database, env: { SVC_JOBS: '0', SVC_SESSION_SECRET: 'a'.repeat(32) } });
    await post(first);
    expect(JSON.stringify(await database.query('select * from outgoing_mail'))).not.toContain('secret');
    await first.close();
    const second = keep(await start(server.url, { database, env: { SVC_SESSION_SECRET: 'b'.repeat(32) } }));
    await until('the removal', async () => (await waiting(second)) === 0);
    expect([server.received, await count(second, 'unreadable')]).toEqual([[], 1]);
  });

  it('waits for none of another tenant, whose recipients are slow to take theirs', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let slow = 0;
    const beforeAcknowledging = (to: string) => {
      if (!to.startsWith('slow')) return Promise.resolve();
      slow += 1;
      return held;
    };
    const server = keep(await startMailServer({ beforeAcknowledging }));
    const database = await freshDatabase();
    closing.push(() => database.drop());
    const api = keep(await start(server.url, { database }));
    for (let n = 0; n < 9; n += 1) await post(api, `slow-${n}@example.org`);
    await until('the first attempts', () => Promise.resolve(slow === 2));
    const other = await api.addTenant('other');
    await api.app.get(Tenancy).run(other.tenantId, () => api.app.get(Mailer).send(mail()));
    expect((await server.until(1)).map(({ to }) => to)).toEqual(['ann@example.org']);
    // No more of a tenant at once, so that there are places for others.
    expect(slow).toBe(2);
    release();
    await server.until(10);
  });

  it('outlives the worker that was sending it', async () => {
    const database = await freshDatabase();
    closing.push(() => database.drop());
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let attempts = 0;
    const beforeAcknowledging = () => (attempts++ === 0 ? held : Promise.resolve());
    const server = keep(await startMailServer({ beforeAcknowledging }));
    const first = await start(server.url, { database, env: { SVC_SHUTDOWN_DRAIN_SECS: '0' } });
    await post(first);
    await until('the first attempt', () => Promise.resolve(attempts === 1));
    await first.close();
    const second = keep(await start(server.url, { database }));
    await until('the second attempt', () => Promise.resolve(attempts === 2));
    await until('the removal', async () => (await waiting(second)) === 0);
    release();
    await server.until(2);
    expect(new Set(server.received.map(({ messageId }) => messageId)).size).toBe(1);
  });
});
