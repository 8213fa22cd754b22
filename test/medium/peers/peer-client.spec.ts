import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PeerClient } from '../../../src/modules/memory/peers/peer-client.service.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { delegate, makePeer } from '../../kit/peer.js';

const PATH = '/v1/sync/tenants/acme/handshake';
const OWN_KEYS = { SVC_SIGNING_KEY_FILE: '' };

let here: TestDaemon;
let there: TestDaemon;
const servers: Server[] = [];
beforeAll(async () => {
  here = await startDaemon({ tenants: ['acme'], env: { ...OWN_KEYS, SVCD_SYNC_TIMEOUT_MS: '2000' } });
  const env = { ...OWN_KEYS, SVCD_SYNC_MUTUAL_AUTH: '1', SVCD_SYNC_DELEGATION_ENFORCE: '1' };
  there = await startDaemon({ tenants: ['acme'], env });
  await addHere('here', await keyOf(here));
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await here.close();
  await there.close();
});

async function keyOf(daemon: TestDaemon): Promise<string> {
  const [row] = await daemon.database.query<{ key: string }>(
    `select translate(encode(public_key, 'base64'), '+/=', '-_') as key from peer_identity`,
  );
  return row!.key;
}

async function addHere(peerId: string, publicKey: string): Promise<void> {
  const request = { peer_id: peerId, public_key: publicKey, entity_prefixes: ['project:'], direction: 'both' };
  const { status } = await there.call('POST', '/v1/sync/peers', { tenant_id: 'acme', ...request });
  expect(status).toBe(201);
}

const connectionTo = (url: string, delegation?: string) =>
  here.app.get(PeerClient, { strict: false }).open({ tenantId: 'acme', peerId: 'there', url, delegation });

/** A peer that answers as it likes. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Gives a nonce, and what is asked otherwise goes to the listener. */
const serveAfterNonce = (listener: RequestListener): Promise<string> =>
  serve((request, response) => {
    if (request.url === '/v1/sync/handshake/nonce')
      response.end(JSON.stringify({ nonce: 'n'.repeat(43), ttl_seconds: 120 }));
    else listener(request, response);
  });

const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => ({ name: 'none' }),
    (error: Error) => ({ ...error, name: error.constructor.name, message: error.message }),
  );

describe('a daemon that asks another', () => {
  it('is known there by its key, request after request, on the nonces that answers bring', async () => {
    const connection = connectionTo(there.url);
    for (const message of ['one', 'two', 'three']) {
      const { status, body } = await connection.ask({ method: 'POST', path: PATH, body: { message } });
      expect([status, body]).toMatchObject([200, { message, principal: 'peer:here', auth_type: 'peer' }]);
    }
    const used = await there.database.query('select from sync_nonce');
    expect(used).toHaveLength(3);
  });

  it('asks again where the nonce that it kept has ended', async () => {
    const [fresh, kept] = ['n'.repeat(43), 'k'.repeat(43)];
    const nonces: unknown[] = [];
    const url = await serveAfterNonce(({ headers }, response) => {
      const nonce = headers['x-svc-sync-nonce'];
      nonces.push(nonce);
      response.statusCode = nonce === kept ? 401 : 200;
      if (nonce !== kept) response.setHeader('x-svc-sync-nonce', kept);
      response.end(JSON.stringify(nonce === kept ? { code: 'NONCE_EXPIRED', detail: 'it is old' } : {}));
    });
    const connection = connectionTo(url);
    await connection.ask({ method: 'POST', path: PATH });
    expect((await connection.ask({ method: 'POST', path: PATH })).status).toBe(200);
    expect(nonces).toEqual([fresh, kept, fresh]);
  });

  it('may ask at once, and with a delegation', async () => {
    const connection = connectionTo(there.url);
    const all = await Promise.all([1, 2, 3, 4].map(() => connection.ask({ method: 'POST', path: PATH })));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [issuer, self] = [makePeer(), await selfAsPeer()];
    await addHere('issuer', issuer.publicKey);
    const { recipient } = all[0]!.body as { recipient: string };
    const rights = { aud: recipient, tenant_id: 'acme', collections: ['facts'], entity_prefixes: ['project:x'] };
    const delegation = delegate(issuer, self, rights);
    const { body } = await connectionTo(there.url, delegation).ask({ method: 'POST', path: PATH });
    expect(body).toMatchObject({ principal: `peer:issuer/${self.keyid}`, entity_prefixes: ['project:x'] });
  });

  it('learns why it is refused', async () => {
    const refusal = await failureOf(
      connectionTo(there.url).ask({
        method: 'POST',
        path: '/v1/sync/tenants/acme/handshake',
        body: { right: 'flies' },
      }),
    );
    expect(refusal).toMatchObject({ name: 'PeerRefused', status: 400, code: 'VALIDATION_FAILED', isRetryable: false });
    await there.call('DELETE', '/v1/sync/peers/here?tenant_id=acme');
    const revoked = await failureOf(connectionTo(there.url).ask({ method: 'POST', path: PATH }));
    expect(revoked).toMatchObject({ name: 'PeerRefused', status: 403, code: 'PEER_REVOKED' });
  });
});

async function selfAsPeer() {
  const publicKey = await keyOf(here);
  return { ...makePeer(), publicKey, keyid: (await identityOf(here)).kid };
}

const identityOf = async (daemon: TestDaemon) =>
  (await daemon.database.query<{ kid: string }>('select kid from peer_identity'))[0]!;

describe('answers of a peer that are none', () => {
  it('are refused when they are too long, no JSON, a redirect, or late', async () => {
    const ask = (url: string) => failureOf(connectionTo(url).ask({ method: 'GET', path: '/x', maxBytes: 1000 }));
    const long = await serveAfterNonce((_, response) => response.end('x'.repeat(100_000)));
    expect(await ask(long)).toMatchObject({ name: 'PeerAnswerUnusable', isRetryable: false });
    const html = await serveAfterNonce((_, response) => response.end('<html>'));
    expect(await ask(html)).toMatchObject({ name: 'PeerAnswerUnusable' });
    const elsewhere = await serveAfterNonce((_, response) => response.writeHead(307, { location: there.url }).end());
    expect(await ask(elsewhere)).toMatchObject({ name: 'PeerRefused', status: 307, isRetryable: false });
    const silent = await serveAfterNonce(() => undefined);
    expect(await ask(silent)).toMatchObject({
      name: 'PeerUnreachable',
      isRetryable: true,
      message: expect.stringContaining('2000 ms'),
    });
    const busy = await serveAfterNonce((_, response) => response.writeHead(503, { 'retry-after': '7' }).end('later'));
    expect(await ask(busy)).toMatchObject({ name: 'PeerRefused', isRetryable: true, retryAfterSec: 7 });
    const cut = await serveAfterNonce((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      response.destroy();
    });
    expect(await ask(cut)).toMatchObject({ name: 'PeerUnreachable' });
    const nonceless = await serve((_, response) => response.end('{}'));
    expect(await ask(nonceless)).toMatchObject({ name: 'PeerAnswerUnusable' });
    expect(await ask('http://127.0.0.1:1')).toMatchObject({ name: 'PeerUnreachable' });
  });

  it('are refused before they are parsed, when they have more than a parser should meet', async () => {
    const nested = await serveAfterNonce((_, response) => response.end('['.repeat(2_000) + ']'.repeat(2_000)));
    expect(await failureOf(connectionTo(nested).ask({ method: 'GET', path: '/x' }))).toMatchObject({
      name: 'PeerAnswerUnusable',
      message: expect.stringContaining('nested deeper'),
    });
  });

  it('are not asked for where the address is none that is called', async () => {
    expect(() => connectionTo('http://peer.example')).toThrow('https://');
    expect(() => connectionTo('https://a:b@peer.example')).toThrow('credentials');
  });

  it('are not waited for once the caller gave up', async () => {
    const silent = await serveAfterNonce(() => undefined);
    const stop = AbortSignal.timeout(50);
    const asked = connectionTo(silent).ask({ method: 'GET', path: '/x', signal: stop });
    expect(await failureOf(asked)).toMatchObject({ message: expect.stringContaining('timeout') });
  });
});
