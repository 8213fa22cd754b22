import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { fromAnotherAddress, startApi, type TestApi } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { startTools, type TestTools } from '../kit/tools.js';

const MIB = 1024 * 1024;
/** What the two ends of a connection may hold between them when the answer arrives. */
const IN_FLIGHT_BYTES = 8 * MIB;

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
beforeAll(async () => {
  const env = { SVC_TRUSTED_PROXIES: '127.0.0.1' };
  api = await startApi({ env: { ...env, SVC_JOBS: '0' } });
  tools = await startTools(api, { env });
  daemon = await startDaemon({ env: { SVC_MEMORY_IMPORT: '1' } });
});
afterAll(async () => {
  await daemon.close();
  await tools.close();
  await api.close();
});

const appOf = (name: 'api' | 'tools' | 'daemon') => ({ api, tools, daemon })[name];
const asksForCredential = ({ verb, access }: RouteRecord) =>
  verb !== 'GET' && access.kind !== 'anyone' && access.kind !== 'unchecked';

/** Sends the head of an upload of 64 MiB, nothing of which follows yet. */
function announce(url: string, { verb, path }: RouteRecord): Socket {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const headers = Object.entries(fromAnotherAddress()).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `${verb} ${path.replace(/:\w+/g, 'x')} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
      `content-length: ${64 * MIB}\r\n${headers.join('')}\r\n`,
  );
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return Number(answer.toString('latin1').split(' ', 2)[1]);
}

describe.each(['api', 'tools', 'daemon'] as const)('an upload of 64 MiB to the %s without a credential', (name) => {
  it('is refused on its head alone, by every route that asks for one', async () => {
    const { app, url } = appOf(name);
    const routes = app.get(RouteManifest).routes.filter(asksForCredential);
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const socket = announce(url, route);
      // 413 where the route takes less than that: the daemon looks at the length first (memory-daemon.md 8).
      expect([route.address, name === 'daemon' ? [401, 413] : [401]]).toEqual([
        route.address,
        expect.arrayContaining([await statusOf(socket)]),
      ]);
      socket.destroy();
    }
  });

  it('is not read while it is sent', async () => {
    const { app, url } = appOf(name);
    const sockets: Socket[] = [];
    const server = app.getHttpServer() as Server;
    const note = (socket: Socket): void => void sockets.push(socket);
    server.on('connection', note);
    const [route] = app.get(RouteManifest).routes.filter(asksForCredential);
    const client = announce(url, route!);
    client.on('error', () => undefined);
    const answer = statusOf(client);
    const part = Buffer.alloc(MIB, ' ');
    for (let i = 0; i < 64; i += 1) client.write(part);
    expect([401, 413]).toContain(await answer);
    server.off('connection', note);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]!.bytesRead).toBeLessThan(IN_FLIGHT_BYTES);
    client.destroy();
  });
});
