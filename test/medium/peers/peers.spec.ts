import { decode } from 'cborg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makePeer } from '../../kit/peer.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['acme', 'other'] });
});
afterAll(() => daemon.close());

const at = (tenant: string) => daemon.as({ scopes: 'admin:read admin:write receipts:read', tenant, passport: 'ops' });
const peerIn = (other: Record<string, unknown> = {}) => ({
  ...{ peer_id: 'laptop', public_key: makePeer().publicKey, entity_prefixes: ['project:'], direction: 'both' },
  ...other,
});

describe('peers', () => {
  it('are added with a receipt and an event, listed by page, and revoked once', async () => {
    const call = at('acme');
    const { publicKey, keyid } = makePeer();
    const request = peerIn({
      peer_id: 'b',
      public_key: publicKey,
      url: 'http://127.0.0.1:1/',
      collections: ['facts', 'facts'],
    });
    const added = await call('POST', '/v1/sync/peers', request);
    expect([added.status, added.body]).toEqual([
      201,
      {
        schema: 'svc.peer/1',
        peer: {
          ...{ peer_id: 'b', tenant_id: 'acme', url: 'http://127.0.0.1:1', public_key: publicKey, keyid },
          ...{ scopes: ['facts:read', 'facts:write'], entity_prefixes: ['project:'], collections: ['facts'] },
          ...{ direction: 'both', status: 'active', last_cosigned_head: null, created_by: 'passport:ops' },
          ...{ created_at: expect.any(String), receipt_id: expect.any(String) },
          ...{ revoked_at: null, revoked_by: null, revoke_receipt_id: null },
        },
      },
    ]);
    for (const peer_id of ['a', 'c']) await call('POST', '/v1/sync/peers', peerIn({ peer_id }));
    const first = await call('GET', '/v1/sync/peers?limit=2');
    const second = await call('GET', `/v1/sync/peers?limit=2&cursor=${first.body.next_cursor}`);
    const idsOf = ({ body }: typeof first) => (body.peers as { peer_id: string }[]).map(({ peer_id }) => peer_id);
    expect([idsOf(first), idsOf(second), second.body.next_cursor]).toEqual([['a', 'b'], ['c'], null]);

    const revoked = await call('DELETE', '/v1/sync/peers/b');
    expect(revoked.body.peer).toMatchObject({
      status: 'revoked',
      revoked_by: 'passport:ops',
      last_cosigned_head: null,
    });
    expect((await call('DELETE', '/v1/sync/peers/b')).body).toEqual(revoked.body);
    expect(idsOf(await call('GET', '/v1/sync/peers?status=active'))).toEqual(['a', 'c']);
    expect(idsOf(await call('GET', '/v1/sync/peers?status=revoked'))).toEqual(['b']);

    const kindOf = async (id: string): Promise<unknown> => {
      const { body } = await call('GET', `/v1/receipts/${id}?tenant_id=acme`);
      return (decode(Buffer.from(body.payload_base64 as string, 'base64')) as { kind: string }).kind;
    };
    expect(await kindOf(added.body.peer.receipt_id as string)).toBe('sync.peer_added');
    expect(await kindOf(revoked.body.peer.revoke_receipt_id as string)).toBe('sync.peer_revoked');
    const events = await daemon.database.query<{ kind: string; data: { keyid: string } }>(
      `select kind, data from outbox_event where kind like 'sync.peer%' and subject = 'peer:b' order by position`,
    );
    expect(events.map(({ kind, data }) => [kind, data.keyid])).toEqual([
      ['sync.peer_added', keyid],
      ['sync.peer_revoked', keyid],
    ]);
  });

  it('are not those of another tenant', async () => {
    await at('other')('POST', '/v1/sync/peers', peerIn({ peer_id: 'theirs' }));
    expect((await at('acme')('DELETE', '/v1/sync/peers/theirs')).body.code).toBe('PEER_NOT_FOUND');
    expect(JSON.stringify((await at('acme')('GET', '/v1/sync/peers')).body)).not.toContain('theirs');
  });

  it('have a name and a key of their own; one that was revoked is added again with its key', async () => {
    const call = at('acme');
    const { publicKey } = makePeer();
    const request = peerIn({ peer_id: 'unique', public_key: publicKey });
    const ids = await Promise.all([1, 2, 3].map(async () => (await call('POST', '/v1/sync/peers', request)).status));
    expect(ids.sort()).toEqual([201, 409, 409]);
    const sameKey = await call('POST', '/v1/sync/peers', peerIn({ peer_id: 'alias', public_key: publicKey }));
    expect([sameKey.status, sameKey.body.code, sameKey.body.peer_id]).toEqual([409, 'PEER_TAKEN', 'unique']);
    await call('DELETE', '/v1/sync/peers/unique');
    const otherKey = await call('POST', '/v1/sync/peers', peerIn({ peer_id: 'unique' }));
    expect([otherKey.status, otherKey.body.code]).toEqual([409, 'PEER_TAKEN']);
    const again = await call('POST', '/v1/sync/peers', { ...request, entity_prefixes: ['*'], direction: 'pull' });
    expect([again.status, again.body.peer]).toMatchObject([
      201,
      { status: 'active', entity_prefixes: ['*'], direction: 'pull', revoke_receipt_id: null },
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no prefixes', { entity_prefixes: [] }, 'body.entity_prefixes'],
    ['prefixes left out', { entity_prefixes: undefined }, 'body.entity_prefixes'],
    ['an empty prefix', { entity_prefixes: [''] }, 'body.entity_prefixes'],
    ['all and more', { entity_prefixes: ['*', 'a'] }, 'body.entity_prefixes'],
    ['no direction', { direction: undefined }, 'body.direction'],
    ['another scope', { scopes: ['admin:write'] }, 'body.scopes[0]'],
    ['another collection', { collections: ['facts', 'secrets'] }, 'body.collections[1]'],
    ['no key', { public_key: 'AAAA' }, 'body.public_key'],
    ['a key that is weak', { public_key: Buffer.alloc(32).toString('base64url') }, 'body.public_key'],
    ['a name with a slash', { peer_id: 'a/b' }, 'body.peer_id'],
    ['http:// to elsewhere', { url: 'http://peer.example' }, 'body.url'],
    ['credentials', { url: 'https://user:pw@peer.example' }, 'body.url'],
    ['a query', { url: 'https://peer.example/?a=1' }, 'body.url'],
    ['another scheme', { url: 'ftp://peer.example/' }, 'body.url'],
  ])('are refused with %s', async (_, other, path) => {
    const { status, body } = await at('acme')('POST', '/v1/sync/peers', peerIn({ peer_id: 'bad', ...other }));
    expect([status, (body.issues as { path: string }[]).map((issue) => issue.path)]).toEqual([400, [path]]);
  });

  it('are for operators', async () => {
    const others = daemon.as({ scopes: 'facts:read facts:write query:read', tenant: 'acme' });
    for (const [method, path] of [
      ['GET', '/v1/sync/peers'],
      ['POST', '/v1/sync/peers'],
      ['DELETE', '/v1/sync/peers/x'],
    ] as const)
      expect((await others(method, path, method === 'POST' ? peerIn() : undefined)).body.code).toBe('MISSING_SCOPE');
  });
});
