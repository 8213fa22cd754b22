import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SseConnection } from './sse-connection.js';

/** More than two kernels hold of a connection. */
const FILLING = Buffer.alloc(32 * 1024 * 1024, ' ');
const who = { credential: {}, principal: 'key:1', tenantId: 'acme' };

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** Both ends of a connection of which nothing was read yet. */
async function connect(
  data: Buffer,
): Promise<{ ours: ServerResponse; theirs: IncomingMessage; connection: SseConnection }> {
  const asked = once(server, 'request');
  const client = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  client.on('error', () => undefined).end();
  const [, ours] = (await asked) as [IncomingMessage, ServerResponse];
  const connection = new SseConnection(ours, { mark: '0'.repeat(12), data }, who);
  connection.begin(undefined);
  const [theirs] = (await once(client, 'response')) as [IncomingMessage];
  theirs.on('error', () => undefined);
  return { ours, theirs, connection };
}

describe('a connection whose other end does not read', () => {
  it('is cut at the second heartbeat that finds the buffer full', async () => {
    const { ours, connection } = await connect(FILLING);
    const closed = once(ours, 'close');
    connection.beat(new Date());
    expect([ours.destroyed, ours.writableNeedDrain]).toEqual([false, true]);
    connection.beat(new Date());
    await closed;
  });

  it('stays when it has read meanwhile', async () => {
    const { ours, theirs, connection } = await connect(FILLING);
    connection.beat(new Date());
    theirs.resume();
    await once(ours, 'drain');
    connection.beat(new Date());
    connection.beat(new Date());
    expect(ours.destroyed).toBe(false);
    connection.end('shutdown');
    await once(theirs, 'end');
  });

  it('is cut at the second heartbeat after its end, too', async () => {
    const { ours, connection } = await connect(FILLING);
    const closed = once(ours, 'close');
    connection.end('shutdown');
    connection.end('unauthorized');
    connection.beat(new Date());
    expect(ours.destroyed).toBe(false);
    connection.beat(new Date());
    await closed;
  });

  it('has one heartbeat in memory at most', async () => {
    const { ours, connection } = await connect(FILLING);
    const before = ours.writableLength;
    connection.beat(new Date());
    expect(ours.writableLength).toBe(before);
    ours.destroy();
  });
});

it('a connection receives its end once, and nothing afterwards', async () => {
  const { theirs, connection } = await connect(Buffer.from('{}'));
  connection.end('unauthorized');
  connection.end('shutdown');
  connection.beat(new Date());
  const received = await text(theirs);
  expect(received.match(/^event: .*$/gm)).toEqual(['event: capabilities', 'event: end']);
  connection.end('shutdown');
  connection.beat(new Date());
});
