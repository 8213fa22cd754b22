import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { SVC_REQUEST_TIMEOUT_MS: '1000' } });
});
afterAll(() => api.close());

/**
 * Sends the beginning of a request and then a little now and again.
 * @returns what came back until the server closed the connection
 */
function drip(beginning: string, more: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.on('error', () => undefined);
  const timer = setInterval(() => socket.write(more), 200);
  socket.on('close', () => {
    clearInterval(timer);
    resolve(answer);
  });
  socket.write(beginning);
  return promise;
}

it.each([
  ['headers', () => drip('POST /v1/retrieve HTTP/1.1\r\nhost: localhost\r\n', 'x-more: of it\r\n')],
  [
    'a body',
    () =>
      drip(
        `POST /v1/retrieve HTTP/1.1\r\nhost: localhost\r\nx-tenant-id: ${api.tenant.tenantId}\r\nx-api-key: ${api.tenant.apiKey}\r\n` +
          'content-type: application/json\r\ncontent-length: 100000\r\n\r\n',
        ' ',
      ),
  ],
])('a client that takes too long over %s is answered 408 and disconnected', async (_, send) => {
  const answer = await send();
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ type: 'RequestTimeout', status: 408 });
});
