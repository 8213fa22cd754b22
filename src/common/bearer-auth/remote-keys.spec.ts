import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RemoteKeys } from './remote-keys.js';

const { publicKey } = generateKeyPairSync('ed25519');
const keyOf = (kid: string) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' });

let server: Server;
let published: string[];
let isDown = false;
let reads = 0;
beforeAll(async () => {
  server = createServer((_, response) => {
    reads += 1;
    if (isDown) response.writeHead(503).end();
    else response.end(JSON.stringify({ keys: published.map(keyOf) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
afterEach(() => {
  vi.useRealTimers();
  isDown = false;
});

async function keysOf(...kids: string[]): Promise<RemoteKeys> {
  published = kids;
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const where = { jwksUrl, discoveryUrl: undefined, issuer: undefined, cooldownMs: 1000, hint: '', settings: '' };
  const keys = new RemoteKeys(where, pino({ level: 'silent' }));
  await keys.prepare();
  vi.useFakeTimers({ toFake: ['Date'] });
  return keys;
}
const find = (keys: RemoteKeys, kid: string) => keys.keyFor({ alg: 'EdDSA', kid });
const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);

it('a key that was withdrawn while nobody came is refused to all who come then', async () => {
  const keys = await keysOf('old');
  await expect(find(keys, 'old')).resolves.toBeDefined();
  published = ['new'];
  pass(720);
  const asked = await Promise.allSettled([find(keys, 'old'), find(keys, 'old'), find(keys, 'new')]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

it('the keys at hand go on working while they cannot be read, and nobody waits again', async () => {
  const keys = await keysOf('old');
  isDown = true;
  pass(720);
  const before = reads;
  await expect(find(keys, 'old')).resolves.toBeDefined();
  expect(reads - before).toBe(1);
  await expect(find(keys, 'old')).resolves.toBeDefined();
  expect(reads - before).toBe(1);
});
