import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { head, RawClient, type RawAnswer } from './raw-client.js';
import { startTrial, trialDatabase, type TrialDaemon, type TrialDatabase } from './trial-daemon.js';

const MIB = 1024 * 1024;
const ECHO = 'POST /v1/auth/trial/echo';
const LARGE = 'POST /v1/auth/trial/large';
const JSON_TYPE = 'content-type: application/json';

let database: TrialDatabase;
let daemon: TrialDaemon;
beforeAll(async () => {
  database = await trialDatabase();
  daemon = await startTrial(database);
});
afterAll(async () => {
  await daemon.close();
  await database.drop();
});

/** Sends it all. @returns the first answer, and whether the server ended the connection after it */
async function exchange(...parts: (string | Buffer)[]): Promise<RawAnswer & { code: string; isOver: boolean }> {
  const client = await RawClient.open(daemon.port);
  for (const part of parts) client.send(part);
  const answer = await client.answer();
  const isOver = answer.headers['connection'] === 'close';
  if (isOver) await client.rest();
  client.end();
  return { ...answer, code: isProblem(answer) ? (JSON.parse(answer.body) as { code: string }).code : '', isOver };
}

const isProblem = ({ headers }: RawAnswer): boolean => headers['content-type'] === 'application/problem+json';
const body = (text: string | Buffer, ...headers: string[]): (string | Buffer)[] => [
  head(ECHO, JSON_TYPE, `content-length: ${Buffer.byteLength(text)}`, ...headers),
  text,
];

/** `{"text":"xxx"}` of so many bytes. */
const textOf = (bytes: number): Buffer => Buffer.from(`{"text":"${'x'.repeat(bytes - 11)}"}`);

/** Writes chunk after chunk until the server has answered. @returns that, and how much was written */
async function pour(address: string, maxBytes: number): Promise<RawAnswer & { written: number; rest: string }> {
  const client = await RawClient.open(daemon.port);
  client.send(head(address, JSON_TYPE, 'transfer-encoding: chunked'));
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x20), Buffer.from('\r\n')]);
  let written = 0;
  while (written < maxBytes && client.text === '' && !client.socket.destroyed) {
    written += 65_536;
    if (!client.socket.write(chunk))
      await new Promise((resolve) => client.socket.once('drain', resolve).once('close', resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answer = await client.answer();
  return { ...answer, written, rest: await client.rest() };
}

describe('a body that is too large', () => {
  it('is refused by what it declares, before it is read', async () => {
    const { status, headers, body: text } = await exchange(head(ECHO, JSON_TYPE, `content-length: ${64 * MIB}`));
    expect([status, headers['content-type'], headers['connection']]).toEqual([
      413,
      'application/problem+json',
      'close',
    ]);
    const problem: unknown = JSON.parse(text);
    expect(problem).toMatchObject({
      type: 'urn:svc:errors/payload-too-large',
      title: 'Payload Too Large',
      code: 'PAYLOAD_TOO_LARGE',
      limitBytes: 16 * MIB,
      detail: expect.stringContaining('SVCD_MAX_REQUEST_BODY_BYTES'),
      request_id: headers['x-request-id'],
    });
    expect(headers['traceparent']).toMatch(/^00-/);
  });

  it('is refused where it comes whole, and the client reads the answer', async () => {
    const whole = textOf(64 * MIB);
    const response = await fetch(`${daemon.url}/v1/auth/trial/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: whole,
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('is refused in chunks as soon as it passes the bound', async () => {
    const { status, written, headers } = await pour(ECHO, 64 * MIB);
    expect([status, headers['content-type']]).toEqual([413, 'application/problem+json']);
    expect(written).toBeLessThan(64 * MIB);
  });

  it('is one byte more than the bound', async () => {
    expect((await exchange(...body(textOf(16 * MIB)))).status).toBe(200);
    expect((await exchange(...body(textOf(16 * MIB + 1)))).status).toBe(413);
  });

  it('is larger on a route with a bound of its own', async () => {
    const at = (bytes: number) => [head(LARGE, JSON_TYPE, `content-length: ${bytes}`), textOf(bytes)];
    expect((await exchange(...at(17 * MIB))).body).toBe(`{"said":"${17 * MIB - 11}"}`);
    const { status, body: text } = await exchange(head(LARGE, JSON_TYPE, `content-length: ${64 * MIB + 1}`));
    expect([status, JSON.parse(text).limitBytes]).toEqual([413, 64 * MIB]);
    expect(text).not.toContain('SVCD_MAX_REQUEST_BODY_BYTES');
  });

  it('is not asked for where the client waits to be', async () => {
    const expecting = 'expect: 100-continue';
    expect((await exchange(head(ECHO, JSON_TYPE, `content-length: ${64 * MIB}`, expecting))).status).toBe(413);
    expect((await exchange(head('POST /v1/facts/trial', JSON_TYPE, 'content-length: 12', expecting))).status).toBe(401);
    const client = await RawClient.open(daemon.port);
    client.send(head(ECHO, JSON_TYPE, 'content-length: 12', expecting));
    expect((await client.answer()).status).toBe(100);
    client.send('{"text":"x"}');
    expect((await client.answer()).status).toBe(200);
    client.end();
  });
});

describe('an invalid body', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  it.each<[string, (string | Buffer)[], number, string]>([
    ['cut off', body('{"text":'), 400, 'MALFORMED_REQUEST'],
    ['not UTF-8', body(Buffer.from([0x22, 0xff, 0x22])), 400, 'MALFORMED_REQUEST'],
    ['empty', body(''), 400, 'VALIDATION_FAILED'],
    ['nothing at all', [head(ECHO)], 400, 'VALIDATION_FAILED'],
    ['nested deep', body(`{"text":${deep(100)}}`), 400, 'VALIDATION_FAILED'],
    ['nested millions of levels deep', body(deep(4_000_000)), 400, 'VALIDATION_FAILED'],
    ['millions of objects', body(`[${'{},'.repeat(5_000_000)}0]`), 400, 'VALIDATION_FAILED'],
    ['XML', [head(ECHO, 'content-type: text/xml', 'content-length: 4'), '<a/>'], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of no type', [head(ECHO, 'content-length: 2'), '{}'], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'of a type that is none',
      [head(ECHO, 'content-type: ;;', 'content-length: 2'), '{}'],
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['compressed', [...body(Buffer.from([0x1f, 0x8b, 8, 0]), 'content-encoding: gzip')], 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s', async (_what, parts, status, code) => {
    const answer = await exchange(...parts);
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  it('for an unknown address is not waited for', async () => {
    const { status, code } = await exchange(head('POST /v1/auth/nothing', JSON_TYPE, 'content-length: 1000'));
    expect([status, code]).toEqual([404, 'NOT_FOUND']);
    const outside = await exchange(head('POST /v1/nothing', JSON_TYPE, 'content-length: 1000'));
    expect([outside.status, outside.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('with a request that takes none is skipped', async () => {
    const client = await RawClient.open(daemon.port);
    client.send(head('GET /healthz', 'content-length: 5') + 'hello' + head('GET /healthz'));
    expect([(await client.answer()).status, (await client.answer()).status]).toEqual([200, 200]);
    client.end();
  });
});

describe('ambiguous framing', () => {
  it.each<[string, string[]]>([
    ['two lengths', ['content-length: 5', 'content-length: 6']],
    ['two equal lengths', ['content-length: 5', 'content-length: 5']],
    ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked']],
    ['chunks that are not the last coding', ['transfer-encoding: chunked, identity']],
    ['a length that is no number', ['content-length: +5']],
    ['a length past all numbers', ['content-length: 99999999999999999999']],
    ['a blank before the colon', ['content-length : 5']],
    ['a header folded over lines', ['x-more: a\r\n b']],
  ])('%s are refused, and the connection ends', async (_what, headers) => {
    const { status, code, isOver } = await exchange(`${head(ECHO, JSON_TYPE, ...headers)}hello${head('GET /healthz')}`);
    expect([status, code, isOver]).toEqual([400, 'MALFORMED_REQUEST', true]);
  });

  it('a chunk with a wrong length is refused', async () => {
    const chunks = '5\r\n{"tex\r\nzz\r\n';
    const { status, isOver } = await exchange(head(ECHO, JSON_TYPE, 'transfer-encoding: chunked') + chunks);
    expect([status, isOver]).toEqual([400, true]);
  });
});

describe('an invalid head', () => {
  it.each<[string, string, number, string]>([
    ['nothing of HTTP', 'hello\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'MALFORMED_REQUEST'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nhost: localhost\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['two hosts', head('GET /healthz', 'host: other'), 400, 'MALFORMED_REQUEST'],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: localhost\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['another expectation', head('GET /healthz', 'expect: miracles'), 417, 'EXPECTATION_FAILED'],
    ['headers of more than 16 KiB', head('GET /healthz', `x-more: ${'x'.repeat(20_000)}`), 431, 'HEADERS_TOO_LARGE'],
    ['very many headers', head('GET /healthz', ...Array(5_000).fill('a: b')), 431, 'HEADERS_TOO_LARGE'],
    ['a path that is no path', 'GET * HTTP/1.1\r\nhost: localhost\r\n\r\n', 404, 'NOT_FOUND'],
    ['a % without digits', head('GET /v1/%zz'), 400, 'MALFORMED_REQUEST'],
    ['an endless path', head(`GET /v1/${'x'.repeat(10_000)}`), 404, 'NOT_FOUND'],
  ])('%s', async (_what, bytes, status, code) => {
    const answer = await exchange(bytes);
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect(answer.headers['x-request-id']).toBe(JSON.parse(answer.body).request_id);
    expect(answer.headers['traceparent']).toMatch(/^00-/);
  });
});

describe('connections', () => {
  it('answer pipelined requests in their order', async () => {
    const client = await RawClient.open(daemon.port);
    const requests = Array.from({ length: 20 }, (_, n) => [...body(`{"text":"${'x'.repeat(n)}"}`)].join(''));
    client.send(requests.join(''));
    for (let n = 0; n < 20; n += 1) expect((await client.answer()).body).toBe(`{"said":"${n}"}`);
    client.end();
  });

  it('of HTTP/1.0 end with the answer', async () => {
    const { status, isOver } = await exchange('GET /healthz HTTP/1.0\r\n\r\n');
    expect([status, isOver]).toEqual([200, true]);
  });

  it('that are half-closed in the middle of a request get an answer and are closed', async () => {
    const client = await RawClient.open(daemon.port);
    client.send(head(ECHO, JSON_TYPE, 'content-length: 100') + '{');
    client.socket.end();
    expect(await client.rest()).toMatch(/^(HTTP\/1\.1 400 .*)?$/s);
  });

  it('go on after a refusal whose small body came along', async () => {
    const client = await RawClient.open(daemon.port);
    client.send(head('POST /v1/facts/trial', JSON_TYPE, 'content-length: 12') + '{"text":"x"}' + head('GET /healthz'));
    expect([(await client.answer()).status, (await client.answer()).status]).toEqual([401, 200]);
    client.end();
  });

  it('take no further request after one whose body was refused', async () => {
    const before = daemon.trial.begun;
    const { status, rest } = await pour(ECHO, 64 * MIB);
    expect([status, rest, daemon.trial.begun]).toEqual([413, '', before]);
  });
});

it('all this left nothing in flight, and the server answering', async () => {
  await expect.poll(() => daemon.metric('svc_inflight_requests')).toBe(0);
  expect((await exchange(head('GET /healthz'))).status).toBe(200);
  expect(daemon.log.lines.filter(({ level }) => level !== 'info' && level !== 'warn')).toEqual([]);
});
