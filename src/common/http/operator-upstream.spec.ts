import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { OperatorUpstream } from './operator-upstream.js';

it('a server is asked for whomever it is, whatever letters their names are of', async () => {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream = new OperatorUpstream({ baseUrl, apiKey: undefined, timeoutMs: 5_000 });
  const request = { method: 'GET' as const, name: 'status', requestId: 'r1', deadline: new AbortController().signal };
  for (const [tenant, principal] of [
    ['acme', 'sub:auth0|ada lovelace'],
    ['büro', 'sub:日本 100%'],
  ] as const)
    expect((await upstream.ask({ ...request, tenant, principal })).status).toBe(200);
  expect(asked.map((headers) => [headers['x-svc-tenant-id'], headers['x-svc-principal']])).toEqual([
    ['acme', 'sub:auth0|ada lovelace'],
    ['b%C3%BCro', 'sub:%E6%97%A5%E6%9C%AC 100%25'],
  ]);
  server.closeAllConnections();
  server.close();
});
