import { once } from 'node:events';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveConnection } from './live-connection.js';
import { TenantFollower } from './tenant-follower.js';

const START = { transaction: '1', position: '1' };

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** An open stream, and what its client does to go. */
async function connect(): Promise<{ connection: LiveConnection; go: () => Promise<void> }> {
  const asked = once(server, 'request');
  const client = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  client.on('error', () => undefined).end();
  const [, ours] = (await asked) as [unknown, ServerResponse];
  const go = async (): Promise<void> => {
    const closed = once(ours, 'close');
    client.destroy();
    await closed;
  };
  return { connection: new LiveConnection(ours, { tenantId: 'acme', principal: 'ada' }, START), go };
}

/** A follower whose reads end when they are let. */
function follow(): { follower: TenantFollower; reads: (() => void)[] } {
  const reads: (() => void)[] = [];
  const read = (): Promise<[]> => new Promise((resolve) => reads.push(() => resolve([])));
  return { follower: new TenantFollower(read, START), reads };
}

describe('a follower', () => {
  it('does not take in a stream whose client goes while it is read for', async () => {
    const [{ follower, reads }, { connection, go }] = [follow(), await connect()];
    const joined = follower.join(connection);
    await go();
    follower.leave(connection);
    reads[0]!();
    await joined;
    expect(follower.isIdle).toBe(true);
    await follower.wake();
    expect(reads).toHaveLength(1);
  });

  it('is not idle as long as a stream of it catches up', async () => {
    const [{ follower, reads }, first, second] = [follow(), await connect(), await connect()];
    const joined = [follower.join(first.connection), follower.join(second.connection)];
    await first.go();
    follower.leave(first.connection);
    expect(follower.isIdle).toBe(false);
    for (const end of reads) end();
    await Promise.all(joined);
    const woken = follower.wake();
    reads[2]!();
    await woken;
    await second.go();
    follower.leave(second.connection);
    expect(follower.isIdle).toBe(true);
  });
});
