import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, type Answer } from '../../kit/app.js';
import { head, RawClient } from './raw-client.js';
import { startTrial, trialDatabase, type TrialDaemon, type TrialDatabase } from './trial-daemon.js';

let database: TrialDatabase;
beforeAll(async () => {
  database = await trialDatabase();
});
afterAll(() => database.drop());

async function withTrial(env: Record<string, string>, test: (daemon: TrialDaemon) => Promise<void>): Promise<void> {
  const daemon = await startTrial(database, { env });
  try {
    await test(daemon);
  } finally {
    daemon.trial.release();
    await daemon.close();
  }
}

const SLOW = { SVCD_RATE_LIMIT_RPS: '1', SVCD_RATE_LIMIT_BURST: '3', SVCD_RATE_LIMIT_EXEMPT_CIDRS: '' };

/** Calls one after the other until one is refused. @returns how many were not, and that one */
async function untilRefused(call: () => Promise<Answer>): Promise<{ passed: number; refused: Answer }> {
  for (let passed = 0; passed < 200; passed += 1) {
    const answer = await call();
    if (answer.status === 429) return { passed, refused: answer };
  }
  throw new Error('nothing was refused');
}

const echo = (daemon: TrialDaemon, headers: Record<string, string> = {}) =>
  send(daemon.url, 'POST', '/v1/auth/trial/echo', { text: 'x' }, headers);
const statuses = async (calls: Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status).sort();

describe('the rate limit', () => {
  it('answers requests over the burst 429, with retry-after and the setting to change', () =>
    withTrial(SLOW, async (daemon) => {
      const { passed, refused } = await untilRefused(() => echo(daemon));
      expect(passed).toBeGreaterThanOrEqual(3);
      const { status, headers, body } = refused;
      expect([status, headers.get('content-type'), headers.get('retry-after')]).toEqual([
        429,
        'application/problem+json',
        '1',
      ]);
      expect(headers.get('x-request-id')).toBe(body.request_id);
      expect(headers.get('traceparent')).toMatch(/^00-/);
      expect(headers.get('x-trace-id')).toBeNull();
      expect(body).toMatchObject({
        type: 'urn:svc:errors/rate-limited',
        title: 'Too Many Requests',
        status: 429,
        code: 'RATE_LIMITED',
        retryable: true,
        detail: expect.stringContaining('SVCD_RATE_LIMIT_RPS'),
      });
      expect(await daemon.metric('svc_rate_limited_total')).toBe(1);
    }));

  it('holds for unknown and for malformed addresses', () =>
    withTrial(SLOW, async (daemon) => {
      let tries = 0;
      const paths = ['/nothing', '/%', '/v1/%zz'];
      await untilRefused(() => send(daemon.url, 'GET', paths[tries++ % paths.length]!));
      for (const path of paths)
        await expect.poll(async () => (await send(daemon.url, 'GET', path)).status, { interval: 1 }).toBe(429);
    }));

  it('gives the probes a bucket of their own, which is limited too', () =>
    withTrial(SLOW, async (daemon) => {
      await untilRefused(() => echo(daemon));
      const { passed, refused } = await untilRefused(() => send(daemon.url, 'GET', '/healthz'));
      expect(passed).toBeGreaterThanOrEqual(3);
      expect(refused.body.code).toBe('RATE_LIMITED');
    }));

  it('ends a connection that sends on and on without waiting for its answers', () =>
    withTrial(SLOW, async (daemon) => {
      const client = await RawClient.open(daemon.port);
      client.send(head('GET /nothing').repeat(1_000));
      const answers = (await client.rest()).split('HTTP/1.1 ').slice(1);
      expect(answers.length).toBeLessThan(100);
      expect(answers.at(-1)).toMatch(/^429 [\s\S]*\r\nconnection: close/i);
      await expect.poll(() => daemon.log.called('http_control').length).toBe(answers.length);
    }));

  it('exempts loopback by default, and nothing where the list is empty', () =>
    withTrial({ ...SLOW, SVCD_RATE_LIMIT_EXEMPT_CIDRS: '127.0.0.0/8' }, async (daemon) => {
      expect(await statuses(Array.from({ length: 8 }, () => echo(daemon)))).toEqual(Array(8).fill(200));
    }));

  it('is off with 0, and a burst below the rate is the rate', async () => {
    await withTrial({ ...SLOW, SVCD_RATE_LIMIT_RPS: '0' }, async (daemon) => {
      expect(await statuses(Array.from({ length: 8 }, () => echo(daemon)))).toEqual(Array(8).fill(200));
    });
    await withTrial({ ...SLOW, SVCD_RATE_LIMIT_RPS: '8', SVCD_RATE_LIMIT_BURST: '1' }, async (daemon) => {
      expect(await statuses(Array.from({ length: 8 }, () => echo(daemon)))).toEqual(Array(8).fill(200));
    });
  });

  it('counts by the address that trusted proxies report, and ignores that of others', async () => {
    await withTrial({ ...SLOW, SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1' }, async (daemon) => {
      const from = (address: string) => echo(daemon, { 'x-forwarded-for': address });
      const wroteItself = async () => {
        let number = 0;
        return untilRefused(() => from(`1.2.3.${(number += 1)}, 203.0.113.5`));
      };
      expect((await untilRefused(() => from('203.0.113.5'))).passed).toBeGreaterThanOrEqual(3);
      expect((await wroteItself()).refused.status).toBe(429);
      expect((await from('203.0.113.6')).status).toBe(200);
      expect((await echo(daemon, { forwarded: 'for="[2001:db8::1]:99"' })).status).toBe(200);
      let number = 0;
      const { refused } = await untilRefused(() =>
        echo(daemon, { forwarded: `for=9.9.9.${(number += 1)}`, 'x-forwarded-for': '203.0.113.7' }),
      );
      expect(refused.body.detail).toContain('X-Forwarded-For and Forwarded');
    });
    await withTrial(SLOW, async (daemon) => {
      let number = 0;
      await untilRefused(() => echo(daemon, { 'x-forwarded-for': `203.0.113.${(number += 1)}` }));
    });
  });

  it('does not exempt a client that its proxy hides, though the proxy is exempt', () =>
    withTrial(
      { ...SLOW, SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1', SVCD_RATE_LIMIT_EXEMPT_CIDRS: '127.0.0.0/8' },
      async (daemon) => {
        await untilRefused(() => echo(daemon, { forwarded: 'for=_hidden' }));
        expect(await statuses(Array.from({ length: 8 }, () => echo(daemon)))).toEqual(Array(8).fill(200));
      },
    ));
});

describe('load shedding', () => {
  it('refuses what is beyond SVCD_MAX_INFLIGHT, the probes apart, and takes more when it is over', () =>
    withTrial({ SVCD_MAX_INFLIGHT: '2' }, async (daemon) => {
      daemon.trial.hold();
      const held = [send(daemon.url, 'GET', '/v1/auth/trial/wait'), send(daemon.url, 'GET', '/v1/auth/trial/wait')];
      await expect.poll(() => daemon.trial.begun).toBe(2);
      expect(await daemon.metric('svc_inflight_requests')).toBe(2);
      const { status, headers, body } = await echo(daemon);
      expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([
        503,
        '1',
        'application/problem+json',
      ]);
      expect(body).toMatchObject({
        type: 'urn:svc:errors/overloaded',
        title: 'Service Overloaded',
        code: 'OVERLOADED',
        retryable: true,
        detail: expect.stringContaining('SVCD_MAX_INFLIGHT'),
      });
      expect(headers.get('x-request-id')).toBe(body.request_id);
      expect((await send(daemon.url, 'GET', '/healthz')).status).toBe(200);
      daemon.trial.release();
      expect(await statuses(held)).toEqual([200, 200]);
      expect((await echo(daemon)).status).toBe(200);
      expect(await daemon.metric('svc_inflight_requests')).toBe(0);
      expect(await daemon.metric('svc_load_shed_total')).toBe(1);
    }));

  it('counts bodies that have not arrived, and drops clients that disconnected', () =>
    withTrial({ SVCD_MAX_INFLIGHT: '1' }, async (daemon) => {
      const client = await RawClient.open(daemon.port);
      client.send(head('POST /v1/auth/trial/echo', 'content-type: application/json', 'content-length: 100') + '{');
      await expect.poll(() => daemon.metric('svc_inflight_requests')).toBe(1);
      expect((await echo(daemon)).status).toBe(503);
      client.end();
      await expect.poll(async () => (await echo(daemon)).status).toBe(200);
    }));

  it.each(['/v1/auth/trial/stream', '/v1/auth/trial/own-stream'])('counts the stream %s until it begins', (path) =>
    withTrial({ SVCD_MAX_INFLIGHT: '1' }, async (daemon) => {
      const client = await RawClient.open(daemon.port);
      client.send(head(`GET ${path}`));
      await expect.poll(() => client.text).toContain('be');
      expect(await daemon.metric('svc_inflight_requests')).toBe(0);
      expect((await echo(daemon)).status).toBe(200);
      client.end();
    }),
  );

  it('sets no bound with 0', () =>
    withTrial({ SVCD_MAX_INFLIGHT: '0' }, async (daemon) => {
      daemon.trial.hold();
      const held = Array.from({ length: 20 }, () => send(daemon.url, 'GET', '/v1/auth/trial/wait'));
      await expect.poll(() => daemon.trial.begun).toBe(20);
      daemon.trial.release();
      expect(await statuses(held)).toEqual(Array(20).fill(200));
    }));
});

describe('the order of refusals', () => {
  it('is passport header, rate, load, size, credential', () =>
    withTrial({ ...SLOW, SVCD_MAX_INFLIGHT: '1', SVCD_MAX_REQUEST_BODY_BYTES: '100' }, async (daemon) => {
      const post = (headers: Record<string, string> = {}, text = 'x'.repeat(200)) =>
        send(daemon.url, 'POST', '/v1/facts/trial', { text }, headers).then(({ status, body }) => [status, body.code]);
      const bad = { 'x-svc-passport-id': 'not one' };
      expect(await post({}, 'x')).toEqual([401, 'UNAUTHORIZED']);
      expect(await post()).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      daemon.trial.hold();
      const held = send(daemon.url, 'GET', '/v1/auth/trial/wait');
      await expect.poll(() => daemon.trial.begun).toBe(1);
      expect(await post(bad)).toEqual([400, 'INVALID_PASSPORT_HEADER']);
      await expect.poll(() => post(), { interval: 1 }).toEqual([429, 'RATE_LIMITED']);
      await expect.poll(() => post(), { interval: 300, timeout: 10_000 }).toEqual([503, 'OVERLOADED']);
      daemon.trial.release();
      await held;
    }));
});
