import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { createTenants, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { must } from '../work/given.js';

const LINKS = '/v1/identity/links';
const CANDIDATES = '/v1/identity/candidates';
const SCOPES = 'admin:read admin:write facts:write facts:read query:read receipts:read';
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_IDENTITY_LINKS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' } });
});
afterAll(() => daemon.close());

const of = (tenant: string, scopes = SCOPES): DaemonCall => daemon.as({ scopes, tenant });
async function store(tenant: string, entity: string, key: string, value: string, more: object = {}): Promise<void> {
  const { status, text } = await of(tenant)('PUT', '/v1/facts', { entity, key, value, ...more });
  if (status !== 201) throw new Error(text);
}
const propose = (tenant: string, body: object = {}) => must(of(tenant)('POST', `${CANDIDATES}/propose`, body));
const decide = (tenant: string, id: string, decision: 'accept' | 'reject') =>
  of(tenant)('POST', `${CANDIDATES}/${id}/${decision}`, {});
const linkedOf = async (tenant: string, entity: string) =>
  (await must(of(tenant)('GET', `${LINKS}?entity=${encodeURIComponent(entity)}`))).linked;

/** Two entities with one address, proposed. */
async function givenCandidate(tenant: string, [first, second] = ['person:ada', 'person:al']): Promise<string> {
  for (const entity of [first, second]) await store(tenant, entity, 'email', 'ada@example.com');
  return (await propose(tenant)).candidates[0].link_id;
}

describe('candidates', () => {
  it('are proposed with their evidence, once, and link nothing', async () => {
    await store('acme', 'person:ada', 'email', 'ada@example.com');
    await store('acme', 'user:7', 'email_address', 'ada@EXAMPLE.com');
    await store('acme', 'user:8', 'email', 'Ada@example.com');
    const found = await propose('acme');
    expect(found).toMatchObject({ proposed: 1, known: 0, too_common: 0, truncated: false });
    expect(found.candidates).toEqual([
      {
        ...{ link_id: expect.any(String), entity: 'person:ada', other: 'user:7', status: 'candidate' },
        evidence_state: 'stands',
        evidence: [
          {
            ...{ kind: 'email', state: 'stands' },
            sides: [
              { entity: 'person:ada', source: 'fact', key: 'email', ref: expect.any(String) },
              { entity: 'user:7', source: 'fact', key: 'email_address', ref: expect.any(String) },
            ],
          },
        ],
        ...{ proposed_by: expect.any(String), proposed_at: expect.any(String) },
        ...{ decided_by: null, decided_at: null, reason: null },
      },
    ]);
    expect(await propose('acme')).toMatchObject({ proposed: 0, known: 1, receipt_id: null });
    expect((await must(of('acme')('GET', CANDIDATES))).candidates).toEqual(found.candidates);
    expect(await linkedOf('acme', 'person:ada')).toEqual(['person:ada']);
    const path = `/v1/receipts/${found.receipt_id}/verification?tenant_id=acme`;
    expect((await must(of('acme')('GET', path))).verified).toBe(true);
  });

  it('are of one tenant, of facts that all of it may see and that hold now', async () => {
    await store('left', 'person:ada', 'email', 'ada@example.com');
    await store('right', 'person:al', 'email', 'ada@example.com');
    expect([(await propose('left')).proposed, (await propose('right')).proposed]).toEqual([0, 0]);
    await store('left', 'person:secret', 'email', 'ada@example.com', { private: true });
    await store('left', 'person:former', 'email', 'ada@example.com');
    await store('left', 'person:former', 'email', 'other@example.com');
    await store('left', 'person:later', 'email', 'ada@example.com', { valid_from: '2999-01-01T00:00:00Z' });
    expect((await propose('left')).proposed).toBe(0);
  });

  it('come of passports and seats too', async () => {
    await createTenants(daemon.database, ['seated']);
    await daemon.database.query(
      `insert into seat (tenant_id, seat_id, user_email, role, status, accepted_at)
       values ('seated', '0190a000-0000-7000-8000-000000000001', 'ada@example.com', 'member', 'active', now())`,
    );
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const public_key = publicKey.export({ format: 'jwk' }).x!;
    for (const passport_id of ['codex:1', 'codex:2']) {
      const said = canonicalJson({ schema: 'svc.passport/1', tenant_id: 'seated', passport_id, public_key });
      const proof = sign(null, said, privateKey).toString('base64url');
      const passport = { passport_id, display_name: passport_id, kind: 'agent', public_key, proof };
      await must(of('seated')('POST', '/v1/passports', passport));
    }
    await store('seated', 'person:ada', 'email', 'ada@example.com');
    const { candidates } = await propose('seated');
    expect(candidates.map(({ entity, other }: any) => [entity, other])).toEqual([
      ['passport:codex:1', 'passport:codex:2'],
      ['person:ada', 'seat:0190a000-0000-7000-8000-000000000001'],
    ]);
    expect((await propose('seated', { kinds: ['git_author'] })).known).toBe(0);
    expect((await propose('seated', { entity: 'person:ada' })).known).toBe(1);
  });

  it('stay rejected', async () => {
    const id = await givenCandidate('rejecting');
    const { link } = await must(decide('rejecting', id, 'reject'));
    expect([link.status, link.decided_by === null]).toEqual(['rejected', false]);
    expect(await propose('rejecting')).toMatchObject({ proposed: 0, known: 1 });
    const again = await of('rejecting')('POST', LINKS, { entity: 'person:al', other: 'person:ada' });
    expect([again.status, again.body.code, again.body.link_status]).toEqual([409, 'IDENTITY_LINK_DECIDED', 'rejected']);
    expect((await must(of('rejecting')('GET', `${CANDIDATES}?status=rejected`))).count).toBe(1);
    expect((await must(decide('rejecting', id, 'accept'))).link.status).toBe('linked');
  });
});

describe('links', () => {
  it('resolve an entity to all that links lead to, and are taken back', async () => {
    await store('chain', 'a', 'email', 'one@example.com');
    await store('chain', 'b', 'email', 'one@example.com');
    await store('chain', 'b', 'github_id', '7');
    await store('chain', 'c', 'github_id', '7');
    const { candidates } = await propose('chain');
    const links: any[] = [];
    for (const { link_id } of candidates) links.push(await must(decide('chain', link_id, 'accept')));
    expect(await linkedOf('chain', 'a')).toEqual(['a', 'b', 'c']);
    expect((await must(of('chain')('GET', `${LINKS}?entity=c`))).count).toBe(2);
    const between = links.find(({ link }) => link.other === 'c').link.link_id;
    const back = await must(of('chain', 'facts:write')('DELETE', `${LINKS}/${between}?reason=a+mistake`));
    expect(back.link).toMatchObject({ status: 'unlinked', reason: 'a mistake' });
    expect([await linkedOf('chain', 'a'), await linkedOf('chain', 'c')]).toEqual([['a', 'b'], ['c']]);
    expect(await propose('chain')).toMatchObject({ proposed: 0, known: 2 });
    expect((await must(decide('chain', between, 'accept'))).link.status).toBe('linked');
    const events = await daemon.database.query<{ kind: string }>(
      `select kind from outbox_event where tenant_id = 'chain' and kind like 'identity.%' order by position`,
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      ...['identity.proposed', 'identity.linked', 'identity.linked', 'identity.unlinked', 'identity.linked'],
    ]);
  });

  it('are made by whoever writes facts, of what is stored alone', async () => {
    const writer = of('direct', 'facts:write');
    await store('direct', 'b', 'git_author', 'Ada <ada@example.com>');
    const nothing = await writer('POST', LINKS, { entity: 'b', other: 'a' });
    expect([nothing.status, nothing.body.code]).toEqual([409, 'IDENTITY_EVIDENCE_MISSING']);
    await store('direct', 'a', 'git_author', 'Ada <ada@Example.com>');
    const made = await must(writer('POST', LINKS, { entity: 'b', other: 'a' }));
    expect(made.link).toMatchObject({ entity: 'a', other: 'b', status: 'linked' });
    expect(await must(writer('POST', LINKS, { entity: 'a', other: 'b' }))).toEqual({ ...made, receipt_id: null });
    const same = await writer('POST', LINKS, { entity: 'a', other: 'a' });
    expect([same.status, same.body.issues[0].path]).toEqual([400, 'body.other']);
  });

  it('say when their evidence is no more, and then are not made', async () => {
    const id = await givenCandidate('fading');
    const stateNow = async () => (await must(of('fading')('GET', CANDIDATES))).candidates[0].evidence_state;
    await store('fading', 'person:al', 'email', 'al@example.com');
    expect(await stateNow()).toBe('changed');
    const refused = await decide('fading', id, 'accept');
    expect([refused.status, refused.body.code]).toEqual([409, 'IDENTITY_EVIDENCE_MISSING']);
    await store('fading', 'person:al', 'email', 'ada@example.com');
    expect(await stateNow()).toBe('stands');
    const factId = (await must(decide('fading', id, 'accept'))).link.evidence[0].sides[1].ref;
    const { current_fact_id: current } = (await of('fading')('DELETE', `/v1/facts/${factId}`)).body;
    await must(of('fading')('DELETE', `/v1/facts/${current}`));
    const { links } = await must(of('fading')('GET', LINKS));
    expect([links[0].status, links[0].evidence_state]).toEqual(['linked', 'gone']);
  });

  it('are decided once when many decide', async () => {
    const id = await givenCandidate('racing');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => decide('racing', id, n % 2 ? 'accept' : 'reject')),
    );
    const receipts = answers.filter(({ status, body }) => status === 200 && body.receipt_id !== null);
    const counted = await daemon.database.query<{ n: number }>(
      `select count(*)::int as n from outbox_event where tenant_id = 'racing' and kind in ('identity.linked', 'identity.rejected')`,
    );
    expect(counted[0]!.n).toBe(receipts.length);
    const proposals = await Promise.all(Array.from({ length: 4 }, () => propose('racing')));
    expect(proposals.every(({ proposed }) => proposed === 0)).toBe(true);
  });

  it('go with the subject that is erased, unless it is held', async () => {
    await givenCandidate('erasing', ['person:ada', 'person:al']);
    const hold = await of('erasing')('POST', '/v1/legal-holds', {
      ...{ tenant_id: 'erasing', reason: 'a case', entity_prefixes: ['person:al'] },
    });
    expect(hold.status).toBeLessThan(300);
    const erase = (entity: string) => of('erasing')('POST', '/v1/facts/erase', { entities: [entity] });
    expect((await erase('person:ada')).status).toBe(409);
    await must(of('erasing')('DELETE', `/v1/legal-holds/${hold.body.hold.id}`));
    expect((await erase('person:ada')).status).toBeLessThan(300);
    expect((await must(of('erasing')('GET', CANDIDATES))).candidates).toEqual([]);
  });
});

describe('the plane', () => {
  it('takes the scopes of its routes, and knows its own pairs alone', async () => {
    const id = await givenCandidate('scoped');
    const attempts: [string, string, string, number][] = [
      ['facts:write', 'GET', CANDIDATES, 403],
      ['facts:write', 'POST', `${CANDIDATES}/propose`, 403],
      ['admin:read', 'POST', `${CANDIDATES}/${id}/accept`, 403],
      ['facts:read', 'GET', LINKS, 403],
      ['admin:read', 'POST', LINKS, 403],
      ['admin:read', 'DELETE', `${LINKS}/${id}`, 403],
      ['admin:read', 'GET', LINKS, 200],
      ['facts:write', 'GET', LINKS, 200],
      ['admin:read', 'GET', CANDIDATES, 200],
    ];
    for (const [scopes, method, path, expected] of attempts)
      expect([
        scopes,
        method,
        path,
        (await of('scoped', scopes)(method, path, method === 'GET' ? undefined : {})).status,
      ]).toEqual([scopes, method, path, expected]);
    const other = await decide('elsewhere', id, 'accept');
    expect([other.status, other.body.code]).toEqual([404, 'IDENTITY_LINK_UNKNOWN']);
    expect((await must(of('elsewhere')('GET', CANDIDATES))).count).toBe(0);
  });

  it('answers bad input with what is wrong', async () => {
    const call = of('acme');
    const cases: [string, string, object | undefined, string][] = [
      ['POST', `${CANDIDATES}/propose`, { kinds: ['face'] }, 'body.kinds'],
      ['POST', `${CANDIDATES}/no-uuid/accept`, {}, 'path.id'],
      ['GET', `${CANDIDATES}?status=merged`, undefined, 'query.status'],
      ['GET', `${LINKS}?cursor=x`, undefined, 'query.cursor'],
      ['POST', LINKS, { entity: 'a' }, 'body.other'],
    ];
    for (const [method, path, body, issue] of cases) {
      const answer = await call(method, path, body);
      expect([path, answer.status, answer.body.issues?.[0].path]).toEqual([path, 400, issue]);
    }
  });

  it('is not there while its flag is off', async () => {
    const off = await startDaemon({ database: daemon.database });
    try {
      for (const path of [LINKS, CANDIDATES]) expect((await off.call('GET', path)).status).toBe(404);
      expect((await off.call('POST', `${CANDIDATES}/propose`, {})).status).toBe(404);
    } finally {
      await off.close();
    }
  });
});
