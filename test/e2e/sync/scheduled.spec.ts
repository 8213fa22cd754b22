import { afterAll, beforeAll, describe, it } from 'vitest';
import { until } from '../processes/svc-process.js';
import { introduce, Site } from './given.js';

let laptop: Site;
let server: Site;
beforeAll(async () => {
  [laptop, server] = await Promise.all([Site.start({ SVCD_SYNC_EVERY: '1s' }), Site.start()]);
  await introduce([laptop, 'laptop'], [server, 'server']);
}, 240_000);
afterAll(() => Promise.all([laptop.close(), server.close()]));

describe('a daemon that exchanges on time', { timeout: 240_000 }, () => {
  it('takes what its peer has and gives it what it has, without a command', async () => {
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
