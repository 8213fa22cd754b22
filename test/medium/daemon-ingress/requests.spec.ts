import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { head, RawClient } from './raw-client.js';
import { startTrial, trialDatabase, type TrialDaemon, type TrialDatabase } from './trial-daemon.js';

const TIMEOUT_MS = 1_000;

let database: TrialDatabase;
let daemon: TrialDaemon;
beforeAll(async () => {
  database = await trialDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  daemon = await startTrial(database, { timeoutMs: TIMEOUT_MS });
});
afterEach(async () => {
  daemon.trial.release();
  await daemon.close();
});

const get = (path: string) => send(daemon.url, 'GET', `/v1/auth/trial/${path}`);
const lines = () => daemon.log.called('http_control');
const connectionsOf = ({ app }: TrialDaemon) =>
  new Promise((resolve) => app.getHttpServer().getConnections((_: unknown, count: number) => resolve(count)));
const faults = () => daemon.log.called('a request failed');

describe('the time limit', () => {
  it('is answered 408, aborts the handler, and drops its late result silently', async () => {
    daemon.trial.hold();
    const { status, headers, body } = await get('wait');
    expect([status, headers.get('content-type')]).toEqual([408, 'application/problem+json']);
    expect(body).toMatchObject({ type: 'urn:svc:errors/request-timeout', code: 'REQUEST_TIMEOUT', status: 408 });
    expect(headers.get('x-request-id')).toBe(body.request_id);
    expect(daemon.trial.reasons).toEqual(['RequestTimeout']);
    daemon.trial.release();
    await sleep(50);
    expect((await get('wait')).body).toEqual({ said: 'late' });
    expect(daemon.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(lines().map(({ status: logged }) => logged)).toEqual([408, 200]);
    expect(await daemon.metric('svc_inflight_requests')).toBe(0);
  });

  it('holds for the arrival of the body, and the connection ends with it', async () => {
    const client = await RawClient.open(daemon.port);
    client.send(head('POST /v1/auth/trial/echo', 'content-type: application/json', 'content-length: 100') + '{');
    const { status, headers } = await client.answer();
    expect([status, headers['content-type']]).toEqual([408, 'application/problem+json']);
    client.send('"text": "and more"}');
    await client.rest();
    expect(daemon.trial.begun).toBe(0);
    await expect.poll(() => lines().map(({ status: logged }) => logged)).toEqual([408]);
  });

  it('holds for the arrival of the head', async () => {
    const client = await RawClient.open(daemon.port);
    client.send('POST /v1/auth/trial/echo HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    const { status, headers, body } = await client.answer();
    expect([status, headers['x-request-id']]).toEqual([408, JSON.parse(body).request_id]);
    expect(headers['traceparent']).toMatch(/^00-/);
    await client.rest();
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({
      status: 408,
      request_id: headers['x-request-id'],
      trace_id: expect.any(String),
    });
  });

  it('does not end a stream that has begun', async () => {
    const client = await RawClient.open(daemon.port);
    client.send(head('GET /v1/auth/trial/stream'));
    await sleep(TIMEOUT_MS * 3);
    const soFar = client.text.length;
    await expect.poll(() => client.text.length).toBeGreaterThan(soFar);
    expect(daemon.trial.reasons).toEqual([]);
    client.end();
    await expect.poll(() => daemon.trial.reasons).toEqual(['ClientGone']);
  });
});

describe('a client that disconnects', () => {
  it('aborts the handler, and is one line of the log', async () => {
    daemon.trial.hold();
    const client = await RawClient.open(daemon.port);
    client.send(head('GET /v1/auth/trial/wait', 'x-request-id: gone-1'));
    await expect.poll(() => daemon.trial.begun).toBe(1);
    client.end();
    await expect.poll(() => daemon.trial.reasons).toEqual(['ClientGone']);
    daemon.trial.release();
    await sleep(50);
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({ request_id: 'gone-1', status: 499, aborted: true });
  });

  it('in the middle of its body is logged as no error', async () => {
    const client = await RawClient.open(daemon.port);
    client.send(head('POST /v1/auth/trial/echo', 'content-type: application/json', 'content-length: 100') + '{');
    await expect.poll(() => daemon.metric('svc_inflight_requests')).toBe(1);
    client.end();
    await expect.poll(() => lines().length).toBe(1);
    expect(daemon.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

describe('a handler that fails', () => {
  it.each(['fault', 'fault-of-a-library', 'nothing-thrown', 'unwritable'])(
    'with %s is 500 without its cause, and logged once',
    async (path) => {
      const { status, headers, body, text } = await get(path);
      expect([status, headers.get('content-type')]).toEqual([500, 'application/problem+json']);
      expect(body).toEqual({
        type: 'urn:svc:errors/internal',
        title: 'Internal Server Error',
        status: 500,
        instance: `urn:svc:request:${body.request_id}`,
        code: 'INTERNAL',
        request_id: headers.get('x-request-id'),
        retryable: false,
      });
      expect(text).not.toContain('secret');
      expect(faults()).toHaveLength(1);
      expect(faults()[0]).toMatchObject({ request_id: body.request_id, level: 'error' });
    },
  );
});

describe('a server that stops', () => {
  it('answers what is in flight, ends streams, and takes no connection more', async () => {
    daemon.trial.hold();
    const held = get('wait');
    const stream = await RawClient.open(daemon.port);
    stream.send(head('GET /v1/auth/trial/stream'));
    await expect.poll(() => stream.text).toContain('beat');
    await expect.poll(() => daemon.trial.begun).toBe(1);
    const closed = daemon.app.close();
    expect(await stream.rest()).toMatch(/\r\n0\r\n\r\n$/);
    expect(daemon.trial.reasons).toEqual(['ServerStops']);
    await expect(RawClient.open(daemon.port)).rejects.toThrow();
    daemon.trial.release();
    expect((await held).status).toBe(200);
    await closed;
  });

  it('does not wait for a connection on which nothing came', async () => {
    const client = await RawClient.open(daemon.port);
    await expect.poll(() => connectionsOf(daemon)).toBe(1);
    const ended = client.rest();
    await daemon.app.close();
    expect(await ended).toBe('');
  });

  it('answers a last request of a keep-alive connection, and then closes it', async () => {
    daemon.trial.hold();
    const client = await RawClient.open(daemon.port);
    client.send(head('GET /v1/auth/trial/wait'));
    await expect.poll(() => daemon.trial.begun).toBe(1);
    const closed = daemon.app.close();
    const isRefused = () =>
      RawClient.open(daemon.port).then(
        (opened) => opened.end() ?? false,
        () => true,
      );
    await expect.poll(isRefused).toBe(true);
    client.send(
      head('POST /v1/auth/trial/echo', 'content-type: application/json', 'content-length: 12') + '{"text":"x"}',
    );
    await expect.poll(() => daemon.trial.begun).toBe(2);
    daemon.trial.release();
    expect((await client.answer()).status).toBe(200);
    const last = await client.answer();
    expect([last.status, last.headers['connection'], last.headers['content-type']]).toEqual([
      200,
      'close',
      'application/json; charset=utf-8',
    ]);
    await closed;
  });
});

describe('the log', () => {
  it('has no other line for an internal call', async () => {
    const { statusCode } = await daemon.app.inject({ method: 'GET', url: '/healthz' });
    await expect.poll(() => lines().length).toBe(1);
    expect([statusCode, lines()[0]!.status, lines()[0]!.aborted]).toEqual([200, 200, undefined]);
    expect(await daemon.metric('svc_inflight_requests')).toBe(0);
  });

  it('has one line for every request, with its ids, method, route, status and time', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const ids = { 'x-request-id': 'mine-1', traceparent: `00-${trace}-b7ad6b7169203331-01` };
    const answered = await send(daemon.url, 'POST', '/v1/auth/trial/echo', { text: 'x' }, ids);
    expect(answered.headers.get('x-request-id')).toBe('mine-1');
    expect(answered.headers.get('traceparent')).toContain(trace);
    await send(daemon.url, 'GET', '/nothing');
    await send(daemon.url, 'GET', '/%');
    await send(daemon.url, 'GET', '/healthz', undefined, { 'x-svc-passport-id': '?' });
    await send(daemon.url, 'POST', '/v1/facts/trial', { text: 'x' }, { 'x-svc-scopes': 'facts:read' });
    const broken = await RawClient.open(daemon.port);
    await broken.send('no HTTP at all\r\n\r\n').answer();
    await expect.poll(() => lines().length).toBe(6);
    expect(lines()[0]).toMatchObject({ request_id: 'mine-1', trace_id: trace });
    expect(lines().map(({ method, route, status }) => `${method} ${route} ${status}`)).toEqual([
      'POST /v1/auth/trial/echo 200',
      'GET none 404',
      'GET none 400',
      'GET /healthz 400',
      'POST /v1/facts/trial 403',
      'none none 400',
    ]);
    for (const line of lines())
      expect(line).toMatchObject({
        request_id: expect.stringMatching(/\S/),
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        elapsed_ms: expect.any(Number),
      });
  });
});
