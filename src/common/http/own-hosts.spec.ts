import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { loadSettings } from '../config/settings.js';
import { makeLog } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { makeHttpServer } from './http-server.js';
import { OwnHosts, type ListenerAddress } from './own-hosts.js';

/**
 * The status that a request is answered with by a listener that is configured to bind `listener.host`; it really is on
 * loopback.
 */
async function statusAt(
  listener: ListenerAddress,
  env: Record<string, string>,
  headers: Record<string, string>,
): Promise<number> {
  const settings = loadSettings({ SVC_LOG_LEVEL: 'silent', ...env });
  const ownHosts = new OwnHosts(settings, listener);
  const adapter = makeHttpServer(
    { ...settings.api, ownHosts },
    { settings, log: makeLog(settings, 'api'), metrics: new Metrics() },
  );
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.get('/page', (_request, reply) => reply.send('here'));
  const { statusCode } = await fastify.inject({ url: '/page', headers, remoteAddress: '127.0.0.1' });
  await fastify.close();
  return statusCode;
}

const EVERYWHERE = { host: '0.0.0.0' };
const LOOPBACK = { host: '127.0.0.1' };
const NAMED = { SVC_ALLOWED_HOSTS: 'svc.example.org' };
const PUBLIC = { SVC_PUBLIC_URL: 'https://svc.example.org/api', SVC_TOOLS_PUBLIC_URL: 'https://tools.example.org' };

it.each<[string, ListenerAddress, Record<string, string>, Record<string, string>, number]>([
  ['beyond loopback any name', EVERYWHERE, {}, { host: 'pod.cluster.local' }, 200],
  ['beyond loopback any origin', EVERYWHERE, {}, { host: 'a.example', origin: 'https://b.example' }, 200],
  ['beyond loopback any name, also with a public URL', EVERYWHERE, PUBLIC, { host: 'pod.cluster.local' }, 200],
  ['the names of the setting alone, where it is set', EVERYWHERE, NAMED, { host: 'a.example' }, 403],
  ['the names of the setting', EVERYWHERE, NAMED, { host: 'SVC.example.org:8443' }, 200],
  ['loopback, whatever the setting', EVERYWHERE, NAMED, { host: '127.0.0.1:8090' }, 200],
  ['no foreign origin, where the setting is set', EVERYWHERE, NAMED, { host: 'svc.example.org', origin: 'null' }, 403],
  ['no foreign origin by MCP', { ...EVERYWHERE, speaksMcp: true }, {}, { host: 'a', origin: 'http://b' }, 403],
  ['the host of the public URL', LOOPBACK, PUBLIC, { host: 'svc.example.org' }, 200],
  ['the host of the tools', LOOPBACK, PUBLIC, { host: 'tools.example.org' }, 200],
  [
    'the host by which the tools call',
    LOOPBACK,
    { SVC_API_URL: 'http://api.internal:8090' },
    { host: 'api.internal' },
    200,
  ],
  [
    'pages of the public URL behind a proxy that rewrites Host',
    LOOPBACK,
    PUBLIC,
    { host: '127.0.0.1:1', origin: 'https://svc.example.org' },
    200,
  ],
  [
    'no page of that name by another scheme',
    LOOPBACK,
    PUBLIC,
    { host: '127.0.0.1:1', origin: 'http://svc.example.org' },
    403,
  ],
  [
    'the page that others may read',
    { ...LOOPBACK, shared: { paths: ['/page'], origins: new Set(['https://b.example']) } },
    {},
    { host: 'localhost', origin: 'https://b.example' },
    200,
  ],
  [
    'no other page to them',
    { ...LOOPBACK, shared: { paths: ['/other'], origins: new Set(['https://b.example']) } },
    {},
    { host: 'localhost', origin: 'https://b.example' },
    403,
  ],
])('answers to %s', async (_, listener, env, headers, status) => {
  expect(await statusAt(listener, env, headers)).toBe(status);
});

it('answers to the address that the request came to, as probes of a container name it', () => {
  const own = new OwnHosts(loadSettings(NAMED), EVERYWHERE);
  expect(own.isOwn('10.1.2.3:8090', '10.1.2.3')).toBe(true);
  expect(own.isOwn('10.1.2.3:8090', '::ffff:10.1.2.3')).toBe(true);
  expect(own.isOwn('[2001:db8::7]:8090', '2001:db8::7')).toBe(true);
  expect([own.isOwn('10.1.2.4:8090', '10.1.2.3'), own.isOwn('10.1.2.3')]).toEqual([false, false]);
});
