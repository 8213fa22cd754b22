import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { Metrics } from '../observability/metrics.js';
import { TENANT_API_PROBLEMS } from '../problem/problem.filter.js';
import { refuseBytes } from './early-refusals.js';
import { LONG_REQUESTS } from './long-requests.js';
import { RequestLog } from './request-log.js';

let server: Server;
beforeAll(async () => {
  const soonLate = { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 20 };
  server = createServer(soonLate, (incoming, outgoing) => {
    if (incoming.url === '/long') LONG_REQUESTS.add(incoming.socket);
    incoming.resume().once('end', () => outgoing.end('whole'));
  });
  const requests = RequestLog.of(
    { message: 'request', membersOf: () => ({}) },
    pino({ level: 'silent' }),
    new Metrics(),
  );
  server.on('clientError', refuseBytes(TENANT_API_PROBLEMS, requests)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

describe('a request that is late', () => {
  it.each([
    ['/long', 200],
    ['/other', 408],
  ])('at %s is answered %i', async (path, status) => {
    const { port } = server.address() as AddressInfo;
    const client = request({ host: '127.0.0.1', port, path, method: 'POST' });
    client.on('error', () => undefined);
    const answered = once(client, 'response');
    client.write('first');
    await once(server, 'clientError');
    client.end('last');
    const [answer] = (await answered) as [IncomingMessage];
    expect(answer.statusCode).toBe(status);
    answer.resume();
  });
});
