import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerSecret } from '../../../src/common/sessions/server-secret.js';
import { makeNonce, RANDOM_BYTES, TTL_SECONDS } from '../../../src/modules/operations/system/nonce.rules.js';
import { fromAnotherAddress, send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import {
  ask,
  digestOf,
  makePeer,
  nonceOf,
  nowSeconds,
  signedFields,
  type AskOptions,
  type TestPeer,
} from '../../kit/peer.js';

const PATH = '/v1/sync/tenants/acme/handshake';

let daemon: TestDaemon;
let owner: Client;
let peer: TestPeer;
beforeAll(async () => {
  const env = { SVCD_SYNC_MUTUAL_AUTH: '1', SVCD_ROUTE_AUTH: 'enforce', SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1' };
  daemon = await startDaemon({ env, tenants: ['acme', 'other'] });
  owner = new Client({ connectionString: daemon.database.superuserUrl });
  await owner.connect();
  peer = makePeer();
  await addPeer({ peer_id: 'laptop', public_key: peer.publicKey });
});
afterAll(async () => {
  await owner.end();
  await daemon.close();
});

async function addPeer(request: Record<string, unknown>): Promise<void> {
  const body = { tenant_id: 'acme', entity_prefixes: ['project:'], direction: 'both', ...request };
  const { status, text } = await daemon.call('POST', '/v1/sync/peers', body);
  expect([status, text]).toEqual([201, expect.any(String)]);
}

/** A new peer with a row of its own. */
async function peerWith(request: Record<string, unknown>): Promise<TestPeer> {
  const made = makePeer();
  await addPeer({ public_key: made.publicKey, ...request });
  return made;
}

/** What is answered, and what became of the nonce. */
async function outcome(who: TestPeer, options: AskOptions = {}, path = PATH) {
  const nonce = options.nonce ?? (await nonceOf(daemon.url));
  const { status, body } = await ask(daemon.url, who, path, { ...options, nonce });
  const again = await ask(daemon.url, peer, PATH, { nonce });
  return [status, body.code, again.body.code];
}

/** Somebody who is a peer used it up. */
const refused = (status: number, code: string) => [status, code, 'NONCE_REPLAYED'];
/** Nobody who is a peer has sent it, so that it still works for one. */
const unspent = (status: number, code: string) => [status, code, undefined];

describe('a request that a peer signed', () => {
  it('is let in without any scope, in its tenant, as the peer', async () => {
    const body = JSON.stringify({ message: 'grüße' });
    const answer = await ask(daemon.url, peer, PATH, { body });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        schema: 'svc.peer_handshake/1',
        tenant_id: 'acme',
        principal: 'peer:laptop',
        auth_type: 'peer',
        peer_id: 'laptop',
        direction: 'both',
        may_read: true,
        may_write: true,
        entity_prefixes: ['project:'],
        collections: ['holds', 'tombstones', 'entities', 'edges', 'facts', 'relations', 'cases'],
        recipient: expect.stringMatching(/^[\w-]{43}$/),
        message: 'grüße',
      },
    ]);
  });

  it('is given the next nonce, which works once', async () => {
    const { headers } = await ask(daemon.url, peer, PATH);
    const nonce = headers.get('x-svc-sync-nonce')!;
    expect(await outcome(peer, { nonce })).toEqual([200, undefined, 'NONCE_REPLAYED']);
  });

  it('needs no body: the digest of nothing is signed', async () => {
    expect((await ask(daemon.url, peer, PATH)).status).toBe(200);
    const empty = await ask(daemon.url, peer, PATH, {
      sent: { 'content-type': 'application/json', 'content-length': '0' },
    });
    expect([empty.status, empty.body.code]).toEqual([200, undefined]);
  });

  it('may say that it was meant for https, which ends in front', async () => {
    const targetUri = `${daemon.url.replace('http:', 'https:')}${PATH}`;
    expect((await ask(daemon.url, peer, PATH, { signed: { targetUri } })).status).toBe(200);
  });

  it('may end before its nonce does', async () => {
    const signed = { expires: nowSeconds() + 30 };
    expect((await ask(daemon.url, peer, PATH, { signed })).status).toBe(200);
  });

  it('is refused with a body that is JSON of another digest, unparsed', async () => {
    const body = '{"unknown_member": 1}';
    const answer = await ask(daemon.url, peer, PATH, {
      body,
      signed: { digest: digestOf('{}') },
      sent: { 'content-digest': digestOf('{}') },
    });
    expect([answer.status, answer.body.code]).toEqual([401, 'CONTENT_DIGEST_MISMATCH']);
  });

  it('works for one of 20 that bring the same nonce at once', async () => {
    const nonce = await nonceOf(daemon.url);
    const all = await Promise.all(Array.from({ length: 20 }, () => ask(daemon.url, peer, PATH, { nonce })));
    const codes = all.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
    expect(codes).toEqual(['200 ', ...Array.from({ length: 19 }, () => '401 NONCE_REPLAYED')]);
  });
});

describe('refused, with a code of its own:', () => {
  it('without a signature, whatever scopes it has', async () => {
    const scopes = { 'x-svc-scopes': 'facts:read facts:write admin:read admin:write', 'x-svc-tenant-id': 'acme' };
    const { status, body, headers } = await send(daemon.url, 'POST', PATH, {}, scopes);
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([
      401,
      'HANDSHAKE_REQUIRED',
      'Signature realm="svc sync"',
    ]);
  });

  it('a nonce of nobody', async () => {
    expect(await outcome(peer, { nonce: 'A'.repeat(43) })).toEqual([401, 'NONCE_UNKNOWN', 'NONCE_UNKNOWN']);
    expect(await outcome(peer, { nonce: 'short' })).toEqual([401, 'NONCE_UNKNOWN', 'NONCE_UNKNOWN']);
  });

  it('a nonce that has expired', async () => {
    const key = await daemon.app.get(ServerSecret, { strict: false }).keyFor('sync nonces');
    const nonce = makeNonce(key, nowSeconds() - TTL_SECONDS, randomBytes(RANDOM_BYTES));
    expect(await outcome(peer, { nonce })).toEqual([401, 'NONCE_EXPIRED', 'NONCE_EXPIRED']);
  });

  it('a signature that has expired, by its end or its age', async () => {
    const expired = { signed: { created: nowSeconds() - 30, expires: nowSeconds() - 1 } };
    expect(await outcome(peer, expired)).toEqual(unspent(401, 'SIGNATURE_EXPIRED'));
    expect(await outcome(peer, { signed: { created: nowSeconds() - 600 } })).toEqual(unspent(401, 'SIGNATURE_EXPIRED'));
  });

  it('a signature of a later time', async () => {
    const later = { signed: { created: nowSeconds() + 600 } };
    expect(await outcome(peer, later)).toEqual(unspent(401, 'SIGNATURE_NOT_YET_VALID'));
  });

  it('another method, address, digest or nonce than was signed', async () => {
    for (const signed of [
      { method: 'GET' },
      { targetUri: `${daemon.url}${PATH}?x=1` },
      { targetUri: `http://elsewhere.example${PATH}` },
      { digest: digestOf('{}') },
    ]) {
      const sent: Record<string, string> = signed.digest === undefined ? {} : { 'content-digest': digestOf('') };
      expect(await outcome(peer, { signed, sent })).toEqual(unspent(401, 'SIGNATURE_INVALID'));
    }
    const other = await nonceOf(daemon.url);
    expect(await outcome(peer, { sent: { 'x-svc-sync-nonce': other } })).toEqual([401, 'SIGNATURE_INVALID', undefined]);
  });

  it('what another key signed again', async () => {
    const thief = makePeer();
    expect(await outcome(thief, { signed: { keyid: peer.keyid } })).toEqual(unspent(401, 'SIGNATURE_INVALID'));
    expect(await outcome(thief)).toEqual(unspent(401, 'PEER_UNKNOWN'));
  });

  it('what was cut: the signature, its input, the body', async () => {
    const whole = signedFields(peer, {
      ...{
        method: 'POST',
        targetUri: daemon.url + PATH,
        digest: digestOf(''),
        nonce: 'x',
        created: 1,
        keyid: peer.keyid,
      },
    });
    const cut = { signature: whole.signature!.slice(0, 50) };
    expect(await outcome(peer, { sent: cut })).toEqual(unspent(401, 'SIGNATURE_MALFORMED'));
    const input = { 'signature-input': whole['signature-input']!.slice(0, 40) };
    expect(await outcome(peer, { sent: input })).toEqual(unspent(401, 'SIGNATURE_MALFORMED'));
    const digest = digestOf('{"message": "whole"}');
    const body = '{"message": "who';
    expect(await outcome(peer, { body, signed: { digest } })).toEqual(refused(401, 'CONTENT_DIGEST_MISMATCH'));
    expect(await outcome(peer, { signed: { digest } })).toEqual(refused(401, 'CONTENT_DIGEST_MISMATCH'));
  });

  it('a signature over less, or over more that is not there', async () => {
    const without = (name: string) => ({ sent: { [name]: '' } });
    for (const name of ['content-digest', 'signature', 'signature-input'])
      expect(await outcome(peer, without(name))).toEqual(unspent(401, 'SIGNATURE_MALFORMED'));
    const nonceless = await ask(daemon.url, peer, PATH, without('x-svc-sync-nonce'));
    expect([nonceless.status, nonceless.body.code]).toEqual([401, 'SIGNATURE_MALFORMED']);
    const input = `peer=("@method" "content-digest" "x-svc-sync-nonce");created=${nowSeconds()};keyid="${peer.keyid}";alg="ed25519"`;
    expect(await outcome(peer, { sent: { 'signature-input': input } })).toEqual(unspent(401, 'SIGNATURE_MALFORMED'));
  });

  it('a key of the other tenant', async () => {
    const elsewhere = '/v1/sync/tenants/other/handshake';
    expect(await outcome(peer, {}, elsewhere)).toEqual(unspent(401, 'PEER_UNKNOWN'));
    await addPeer({ tenant_id: 'other', peer_id: 'same-key', public_key: peer.publicKey, direction: 'push' });
    const there = await ask(daemon.url, peer, elsewhere);
    expect([there.status, there.body.principal, there.body.may_write]).toEqual([200, 'peer:same-key', false]);
    expect((await ask(daemon.url, peer, '/v1/sync/tenants/nobody/handshake')).body.code).toBe('PEER_UNKNOWN');
  });

  it('a peer that was revoked, from its next request on', async () => {
    const gone = await peerWith({ peer_id: 'gone' });
    expect((await ask(daemon.url, gone, PATH)).status).toBe(200);
    await daemon.call('DELETE', '/v1/sync/peers/gone?tenant_id=acme');
    expect(await outcome(gone)).toEqual(unspent(403, 'PEER_REVOKED'));
    await addPeer({ peer_id: 'gone', public_key: gone.publicKey });
    expect((await ask(daemon.url, gone, PATH)).status).toBe(200);
  });

  it('a peer without a list of prefixes', async () => {
    const bare = await peerWith({ peer_id: 'bare' });
    await owner.query(`update sync_peer set entity_prefixes = '{}' where peer_id = 'bare'`);
    expect(await outcome(bare)).toEqual(unspent(403, 'PEER_WITHOUT_PREFIXES'));
  });

  it('the wrong direction, and a scope that the peer lacks', async () => {
    const wants = (right: string) => ({ body: JSON.stringify({ right }) });
    const giver = await peerWith({ peer_id: 'giver', direction: 'pull' });
    expect(await outcome(giver, wants('reads'))).toEqual(refused(403, 'PEER_DIRECTION'));
    expect((await ask(daemon.url, giver, PATH, wants('writes'))).status).toBe(200);
    const taker = await peerWith({ peer_id: 'taker', direction: 'push' });
    expect(await outcome(taker, wants('writes'))).toEqual(refused(403, 'PEER_DIRECTION'));
    expect((await ask(daemon.url, taker, PATH, wants('reads'))).status).toBe(200);
    const reader = await peerWith({ peer_id: 'reader', scopes: ['facts:read'] });
    expect(await outcome(reader, wants('writes'))).toEqual(refused(403, 'MISSING_SCOPE'));
  });

  it('a tenant that is suspended', async () => {
    const waiting = await peerWith({ peer_id: 'waiting' });
    await owner.query(`update tenant set state = 'suspended' where tenant_id = 'acme'`);
    try {
      await expect.poll(async () => (await ask(daemon.url, waiting, PATH)).status).toBe(401);
    } finally {
      await owner.query(`update tenant set state = 'active' where tenant_id = 'acme'`);
    }
    await expect.poll(async () => (await ask(daemon.url, waiting, PATH)).status).toBe(200);
  });
});

describe('failed handshakes', () => {
  it('are answered 429 past a bound; what holds is let in', async () => {
    const address = fromAnotherAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await ask(daemon.url, makePeer(), PATH, { sent: address })).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await ask(daemon.url, peer, PATH, { sent: address })).status).toBe(200);
  });

  it('are refused on their head alone', async () => {
    const { hostname, port, host } = new URL(daemon.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1.1 401 /);
    socket.destroy();
  });
});

describe('while SVCD_SYNC_MUTUAL_AUTH is off', () => {
  it('scopes decide, and a signature says nothing', async () => {
    const ordinary = await startDaemon({ database: daemon.database, env: { SVCD_ROUTE_AUTH: 'shadow' } });
    try {
      const answer = await ordinary.as({ scopes: 'facts:read', tenant: 'acme' })('POST', PATH, { message: 'hello' });
      expect([answer.status, answer.body]).toMatchObject([
        200,
        { auth_type: 'dev_scopes', peer_id: null, direction: null, entity_prefixes: ['*'], may_write: false },
      ]);
      const signed = await ask(ordinary.url, peer, PATH);
      expect([signed.status, signed.body.code]).toEqual([401, 'UNAUTHORIZED']);
      const elsewhere = await ordinary.as({ scopes: 'facts:read', tenant: 'other' })('POST', PATH, {});
      expect([elsewhere.status, elsewhere.body.code]).toEqual([403, 'TENANT_MISMATCH']);
    } finally {
      await ordinary.close();
    }
  });
});
