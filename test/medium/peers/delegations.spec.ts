import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ask, delegate, makePeer, nonceOf, nowSeconds, type DelegationClaims, type TestPeer } from '../../kit/peer.js';

const PATH = '/v1/sync/tenants/acme/handshake';

let daemon: TestDaemon;
let root: TestPeer;
let recipient: string;
const [middle, last] = [makePeer(), makePeer()];

beforeAll(async () => {
  const env = {
    SVCD_SYNC_MUTUAL_AUTH: '1',
    SVCD_SYNC_DELEGATION_ENFORCE: '1',
    SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1',
  };
  daemon = await startDaemon({ env, tenants: ['acme', 'other'] });
  root = await addPeer('root');
  recipient = (await ask(daemon.url, root, PATH)).body.recipient as string;
});
afterAll(() => daemon.close());

async function addPeer(peerId: string, request: Record<string, unknown> = {}): Promise<TestPeer> {
  const made = makePeer();
  const rights = { entity_prefixes: ['project:', 'note:'], collections: ['facts', 'entities'], direction: 'both' };
  const body = { tenant_id: 'acme', peer_id: peerId, public_key: made.publicKey, ...rights, ...request };
  expect((await daemon.call('POST', '/v1/sync/peers', body)).status).toBe(201);
  return made;
}

/** What a delegation says unless it says otherwise. */
const claims = (other: DelegationClaims = {}): DelegationClaims => ({
  ...{ aud: recipient, tenant_id: 'acme', collections: ['facts'], entity_prefixes: ['project:atlas'] },
  ...other,
});

/** What is answered to the holder of a chain; the nonce is spent where it was let in, and else works for a peer. */
async function outcome(who: TestPeer, ...chain: string[]) {
  const nonce = await nonceOf(daemon.url);
  const { status, body } = await ask(daemon.url, who, PATH, { delegation: chain.join(', '), nonce });
  const again = (await ask(daemon.url, root, PATH, { nonce })).body.code;
  expect(again).toBe(status === 200 ? 'NONCE_REPLAYED' : undefined);
  return [status, body.code];
}

describe('a delegation', () => {
  it('gives its subject what it names of what its issuer has', async () => {
    const chain = delegate(root, middle, claims());
    const answer = await ask(daemon.url, middle, PATH, { delegation: chain });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        principal: `peer:root/${middle.keyid}`,
        peer_id: 'root',
        may_read: true,
        may_write: true,
        entity_prefixes: ['project:atlas'],
        collections: ['facts'],
      },
    ]);
  });

  it('narrows with each of a chain', async () => {
    const chain = [
      delegate(root, middle, claims({ entity_prefixes: ['project:', 'note:x'], collections: ['facts', 'entities'] })),
      delegate(middle, last, claims({ scopes: ['facts:read'], exp: nowSeconds() + 60, nbf: nowSeconds() - 60 })),
    ];
    const answer = await ask(daemon.url, last, PATH, { delegation: chain.join(',') });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { may_read: true, may_write: false, entity_prefixes: ['project:atlas'], collections: ['facts'] },
    ]);
    const writes = { delegation: chain.join(','), body: JSON.stringify({ right: 'writes' }) };
    expect((await ask(daemon.url, last, PATH, writes)).body.code).toBe('MISSING_SCOPE');
  });

  it('may be one of a peer to itself, for less', async () => {
    const narrow = delegate(root, root, claims());
    const answer = await ask(daemon.url, root, PATH, { delegation: narrow });
    expect([answer.status, answer.body.entity_prefixes]).toEqual([200, ['project:atlas']]);
  });
});

describe('refused, with a code of its own and no nonce spent:', () => {
  it('a delegation for another recipient or tenant', async () => {
    expect(await outcome(middle, delegate(root, middle, claims({ aud: last.keyid })))).toEqual([
      403,
      'DELEGATION_AUDIENCE',
    ]);
    expect(await outcome(middle, delegate(root, middle, claims({ tenant_id: 'other' })))).toEqual([
      403,
      'DELEGATION_TENANT',
    ]);
  });

  it('one that has expired, or is of a later time', async () => {
    const ended = claims({ exp: nowSeconds() - 1 });
    expect(await outcome(middle, delegate(root, middle, ended))).toEqual([403, 'DELEGATION_EXPIRED']);
    const early = claims({ nbf: nowSeconds() + 100 });
    expect(await outcome(middle, delegate(root, middle, early))).toEqual([403, 'DELEGATION_NOT_YET_VALID']);
  });

  it.each<[string, DelegationClaims]>([
    ['other prefixes', { entity_prefixes: ['project:atlas', 'secret:'] }],
    ['a shorter prefix', { entity_prefixes: ['pro'] }],
    ['all entities', { entity_prefixes: ['*'] }],
    ['other collections', { collections: ['facts', 'holds'] }],
  ])('one that is wider than the row of its issuer: %s', async (_, wider) => {
    expect(await outcome(middle, delegate(root, middle, claims(wider)))).toEqual([403, 'DELEGATION_WIDENED']);
  });

  it.each<[string, DelegationClaims]>([
    ['prefixes', { entity_prefixes: ['project:'] }],
    ['collections', { collections: ['facts', 'entities'] }],
    ['scopes', { scopes: ['facts:read', 'facts:write'] }],
    ['its end', { exp: nowSeconds() + 10_000 }],
  ])('one that is wider than the one before: %s', async (_, wider) => {
    const chain = delegate(root, middle, claims({ scopes: ['facts:read'] }));
    const widened = delegate(middle, last, claims({ scopes: ['facts:read'], exp: nowSeconds() + 60, ...wider }));
    expect(await outcome(last, chain, widened)).toEqual([403, 'DELEGATION_WIDENED']);
  });

  it('one that is wider than scopes of the row', async () => {
    const reader = await addPeer('reader', { scopes: ['facts:read'] });
    const wider = delegate(reader, middle, claims({ scopes: ['facts:write'] }));
    expect(await outcome(middle, wider)).toEqual([403, 'DELEGATION_WIDENED']);
  });

  it('one that another key signed, or that was altered', async () => {
    const [head, , signature] = delegate(root, middle, claims()).split('.');
    const [, other] = delegate(root, middle, claims({ entity_prefixes: ['note:'] })).split('.');
    expect(await outcome(middle, `${head}.${other}.${signature}`)).toEqual([403, 'DELEGATION_INVALID']);
    const forged = delegate(last, middle, claims({ iss: root.keyid }));
    expect(await outcome(middle, forged)).toEqual([403, 'DELEGATION_INVALID']);
  });

  it('chains that do not hold together', async () => {
    const first = delegate(root, middle, claims());
    expect(await outcome(last, first)).toEqual([401, 'SIGNATURE_INVALID']);
    expect(await outcome(last, first, delegate(root, last, claims()))).toEqual([403, 'DELEGATION_BROKEN']);
    expect(await outcome(last, delegate(middle, last, claims()), first)).toEqual([401, 'PEER_UNKNOWN']);
  });

  it('what cannot be read: cut, of another version, with members that are not known', async () => {
    const whole = delegate(root, middle, claims());
    for (const token of [
      whole.slice(0, -100),
      whole.slice(0, 60),
      'x.y.z',
      delegate(root, middle, claims({ v: '1.0' })),
      delegate(root, middle, claims({ only_on: 'Mondays' })),
      delegate(root, middle, claims({ entity_prefixes: [] })),
      delegate(root, middle, claims({ entity_prefixes: ['*', 'a'] })),
      delegate(root, middle, claims({ collections: ['everything'] })),
      delegate(root, middle, claims({ cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: last.publicKey } } })),
      delegate(root, middle, claims(), { alg: 'none' }),
      delegate(root, middle, claims(), { typ: 'JWT' }),
      Array.from({ length: 6 }, () => whole).join(','),
    ]) {
      const [status, code] = await outcome(middle, token);
      expect([403]).toContain(status);
      expect(['DELEGATION_MALFORMED', 'DELEGATION_INVALID']).toContain(code);
    }
  });

  it('what the signature of the request does not cover', async () => {
    const sent = { 'x-svc-delegation': delegate(root, middle, claims()) };
    expect((await ask(daemon.url, root, PATH, { sent })).body.code).toBe('SIGNATURE_MALFORMED');
  });

  it('what a peer delegated that was revoked, and a delegate whose own row was', async () => {
    const leaving = await addPeer('leaving');
    const chain = delegate(leaving, middle, claims());
    expect(await outcome(middle, chain)).toEqual([200, undefined]);
    await daemon.call('DELETE', '/v1/sync/peers/leaving?tenant_id=acme');
    expect(await outcome(middle, chain)).toEqual([403, 'PEER_REVOKED']);
    const barred = await addPeer('barred');
    await daemon.call('DELETE', '/v1/sync/peers/barred?tenant_id=acme');
    expect(await outcome(barred, delegate(root, barred, claims()))).toEqual([403, 'PEER_REVOKED']);
  });
});

describe('while SVCD_SYNC_DELEGATION_ENFORCE is off', () => {
  it('a delegation is refused, and a peer without one is let in', async () => {
    const env = { SVCD_SYNC_MUTUAL_AUTH: '1', SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1' };
    const trusting = await startDaemon({ database: daemon.database, env });
    try {
      const nonce = await nonceOf(trusting.url);
      const chain = delegate(root, middle, claims());
      const { status, body } = await ask(trusting.url, middle, PATH, { delegation: chain, nonce });
      expect([status, body.code]).toEqual([403, 'DELEGATION_NOT_ENFORCED']);
      expect((await ask(trusting.url, root, PATH, { nonce })).status).toBe(200);
    } finally {
      await trusting.close();
    }
  });
});
