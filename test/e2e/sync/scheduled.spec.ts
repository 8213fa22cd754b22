import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { until } from '../processes/svc-process.js';
import { introduce, Site, TENANT } from './given.js';

let laptop: Site;
let server: Site;
/** Peers that take requests and never answer one: as many as are exchanged with at a time. */
let silent: Server;
let isAsked = false;
const keyOfItsOwn = (): string => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;

beforeAll(async () => {
  [laptop, server] = await Promise.all([Site.start({ SVCD_SYNC_EVERY: '1s' }), Site.start()]);
  silent = createServer(() => (isAsked = true)).listen(0, '127.0.0.1');
  await until('its port', () => silent.listening);
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const rights = ['--tenant', TENANT, '--direction', 'both', '--prefix', '*'];
  for (const name of ['a-silent-one', 'a-silent-two', 'a-silent-three', 'a-silent-four'])
    await laptop.json('peer', 'add', name, ...rights, '--key', keyOfItsOwn(), '--url', url);
  await introduce([laptop, 'laptop'], [server, 'server']);
}, 240_000);
afterAll(async () => {
  await Promise.all([laptop.close(), server.close()]);
  silent.closeAllConnections();
  silent.close();
});

describe('a daemon that exchanges on time', { timeout: 240_000 }, () => {
  it('takes what its peer has and gives it what it has, without a command, while others do not answer', async () => {
    await until('the request', () => isAsked);
    await server.fact('user:ada', 'city', 'London');
    await laptop.fact('user:bea', 'city', 'Rome');
    await until('the exchange', async () => (await laptop.valueOf('user:ada', 'city')) === 'London');
    await until('the exchange', async () => (await server.valueOf('user:bea', 'city')) === 'Rome');
  });

  it('goes on after either was killed', async () => {
    await server.daemon.stop('SIGKILL');
    await laptop.fact('user:bea', 'city', 'Milan');
    await server.daemon.start();
    await until('the exchange', async () => (await server.valueOf('user:bea', 'city')) === 'Milan');
    await laptop.daemon.stop('SIGKILL');
    await server.fact('user:ada', 'city', 'Paris');
    await laptop.daemon.start();
    await until('the exchange', async () => (await laptop.valueOf('user:ada', 'city')) === 'Paris');
  });
});
