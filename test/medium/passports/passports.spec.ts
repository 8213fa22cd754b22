import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { must } from '../work/given.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1' } });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const ROUTE = '/v1/passports';
const register = (passport_id: string, more: object = {}, by: DaemonCall = call) =>
  by('POST', ROUTE, { passport_id, ...more });
const registered = async (passport_id: string, more: object = {}, by: DaemonCall = call): Promise<any> =>
  (await must(register(passport_id, more, by))).passport;
const tenant = (name: string, passport?: string): DaemonCall =>
  daemon.as({ scopes: ALL_SCOPES, tenant: name, ...(passport === undefined ? {} : { passport }) });

/** A key pair, and the proof that a passport has it. */
function keyOf(tenantId: string, passportId: string): { public_key: string; proof: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const public_key = publicKey.export({ format: 'jwk' }).x!;
  const said = { schema: 'svc.passport/1', tenant_id: tenantId, passport_id: passportId, public_key };
  return { public_key, proof: sign(null, canonicalJson(said), privateKey).toString('base64url') };
}

const receiptsOf = (subject: string) =>
  daemon.database.query<{ kind: string; stream: string }>(
    `select kind, stream from receipt where subject = '${subject}' order by seq`,
  );

describe('a passport', () => {
  it('is registered without a key, read and listed, with event and receipt', async () => {
    const made = await registered('plain', { display_name: 'Plain', kind: 'human' }, tenant('default', 'lead'));
    expect(made).toEqual({
      ...{ passport_id: 'plain', display_name: 'Plain', kind: 'human', public_key: null, fingerprint: null },
      ...{ attested: false, tenants: ['default'], created_by: 'passport:lead', created_at: expect.any(String) },
      ...{ revoked_at: null, revoked_by: null, revoke_reason: null, last_seen_at: null },
    });
    expect((await must(call('GET', `${ROUTE}/plain`))).passport).toEqual(made);
    expect((await must(call('GET', `${ROUTE}?kind=human`))).passports).toEqual([made]);
    expect((await must(call('GET', `${ROUTE}?kind=service`))).passports).toEqual([]);
    expect(await receiptsOf('plain')).toEqual([{ kind: 'passport.registered', stream: 'passports' }]);
  });

  it('is attested where its key signs for it, and for nothing else', async () => {
    const key = keyOf('default', 'signer');
    const fingerprint = expect.stringMatching(/^[\w-]{43}$/);
    expect(await registered('signer', key)).toMatchObject({ attested: true, fingerprint });
    const { public_key } = key;
    expect(await registered('keyed', { public_key })).toMatchObject({ attested: false, fingerprint });
    const { status, body } = await register('other', key);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('body.proof')]);
  });

  it('is there once, in each tenant by itself', async () => {
    await registered('once');
    const again = await register('once');
    expect([again.status, again.body.code]).toEqual([409, 'PASSPORT_KNOWN']);
    expect((await registered('once', {}, tenant('umbrella'))).tenants).toEqual(['umbrella']);
    expect((await must(tenant('umbrella')('GET', ROUTE))).passports).toHaveLength(1);
    expect((await tenant('umbrella')('GET', `${ROUTE}/plain`)).body.code).toBe('PASSPORT_NOT_REGISTERED');
  });

  it.each([
    [{ passport_id: 'no blanks' }, 'body.passport_id'],
    [{ passport_id: 'presence' }, 'body.passport_id'],
    [{ passport_id: 'x', kind: 'robot' }, 'body.kind'],
    [{ passport_id: 'x', public_key: 'AAAA' }, 'body.public_key'],
    [{ passport_id: 'x', proof: 'AAAA' }, 'body.proof'],
    [{ passport_id: 'x', display_name: '' }, 'body.display_name'],
  ])('is refused: %j', async (body, member) => {
    const answer = await call('POST', ROUTE, body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(member)]);
  });

  it('is listed page by page', async () => {
    const paged = tenant('paged');
    for (const id of ['c', 'a', 'b']) await registered(id, {}, paged);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await must(paged('GET', `${ROUTE}?limit=1${cursor}`));
      seen.push(...page.passports.map((one: any) => one.passport_id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('takes an admin scope to register where passports are asked for, or to revoke; any that reads to look', async () => {
    const writer = daemon.as({ scopes: 'facts:write facts:read' });
    const refused = await register('x', {}, writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'MINT_REQUEST_NEEDED']);
    expect((await writer('DELETE', `${ROUTE}/plain`)).status).toBe(403);
    expect((await writer('GET', ROUTE)).status).toBe(200);
  });

  it('without a proven key is said to be so by the receipts of what it does, and no other', async () => {
    const acme = (passport: string) => tenant('acme', passport);
    await registered('bare', {}, acme('nobody'));
    await registered('sure', keyOf('acme', 'sure'), acme('nobody'));
    const said = async (by: string): Promise<unknown> => {
      await must(acme(by)('POST', '/v1/projects', { id: by, default_passport_id: 'sure' }));
      const [row] = await daemon.database.query<{ receipt_id: string }>(
        `select receipt_id from receipt where tenant_id = 'acme' and subject = '${by}' and kind = 'project.created'`,
      );
      const receipt = await must(acme(by)('GET', `/v1/receipts/${row!.receipt_id}?tenant_id=acme`));
      return Buffer.from(receipt.payload_base64, 'base64').includes('passport_attested');
    };
    expect([await said('bare'), await said('sure'), await said('unheard')]).toEqual([true, false, false]);
    const fact = { entity: 'e', key: 'k', value: 'v' };
    const { body: stored } = await acme('bare')('PUT', '/v1/facts', fact);
    const { payload_base64 } = await must(acme('bare')('GET', `/v1/receipts/${stored.receipt_id}?tenant_id=acme`));
    expect(Buffer.from(payload_base64, 'base64').includes('passport_attested')).toBe(true);
    const documents = [{ doc_id: 'd', title: 'A title', text: 'A text.' }];
    const sealed = { tenant_id: 'acme', corpus_id: 'c', documents };
    const { receipt_id } = await must(acme('bare')('POST', '/v1/local/ingest', sealed));
    const segment = await must(acme('bare')('GET', `/v1/receipts/${receipt_id}?tenant_id=acme`));
    expect(Buffer.from(segment.payload_base64, 'base64').includes('passport_attested')).toBe(true);
  });
});

describe('where passports are registered', () => {
  const project = (by: DaemonCall, id: string, default_passport_id: string) =>
    by('POST', '/v1/projects', { id, default_passport_id });

  it('projects name those alone; where none is, they name any', async () => {
    const empty = tenant('empty');
    expect((await project(empty, 'first', 'whoever')).status).toBe(200);
    await registered('known', {}, empty);
    const refused = await project(empty, 'second', 'whoever');
    expect([refused.status, refused.body.code]).toEqual([404, 'PASSPORT_UNKNOWN']);
    expect((await project(empty, 'second', 'known')).status).toBe(200);
    await must(empty('DELETE', `${ROUTE}/known`));
    expect((await project(empty, 'third', 'known')).status).toBe(404);
  });
});

describe('presence', () => {
  it('shows who was seen, registered or not, and notes each once in half a minute', async () => {
    const seen = tenant('seen');
    await registered('here', {}, tenant('seen', 'here'));
    for (let i = 0; i < 20; i++) await must(tenant('seen', i % 2 ? 'here' : 'passing')('GET', ROUTE));
    const list = async () => (await must(seen('GET', `${ROUTE}/presence`))).presence;
    await expect.poll(list, { timeout: 20_000 }).toHaveLength(2);
    const presence = await list();
    expect(presence).toMatchObject([
      { passport_id: 'here', registered: true },
      { passport_id: 'passing', registered: false },
    ]);
    for (const { first_seen_at, last_seen_at } of presence) expect(last_seen_at).toBe(first_seen_at);
    expect((await must(seen('GET', `${ROUTE}/here`))).passport.last_seen_at).toBe(presence[0].last_seen_at);
    expect((await must(tenant('umbrella')('GET', `${ROUTE}/presence`))).presence).toEqual([]);
  });
});

describe('a request for a passport', () => {
  const MINT = '/v1/passport/mint-requests';
  const ask = (by: DaemonCall, passport_id: string, more: object = {}) => by('POST', MINT, { passport_id, ...more });
  const decide = (by: DaemonCall, id: string, decision: string, body: object = {}) =>
    by('POST', `${MINT}/${id}/${decision}`, body);
  const eve = () => daemon.as({ scopes: 'facts:write facts:read', passport: 'eve' });
  const lead = () => daemon.as({ scopes: ALL_SCOPES, passport: 'lead' });

  it('is approved by another, and the passport is registered with it', async () => {
    const { mint_request } = await must(ask(eve(), 'eve:2', { why: 'A second worker', ...keyOf('default', 'eve:2') }));
    expect(mint_request).toMatchObject({ status: 'pending', requested_by: 'eve', attested: true, decided_by: null });
    const { mint_request_id: id } = mint_request;
    expect((await must(eve()('GET', `${MINT}?status=pending`))).mint_requests).toContainEqual(mint_request);
    expect((await call('GET', `${ROUTE}/eve:2`)).status).toBe(404);
    const approved = await must(decide(lead(), id, 'approve', { reason: 'Yes' }));
    expect(approved).toMatchObject({
      mint_request: { status: 'approved', decided_by: 'lead', reason: 'Yes' },
      passport: { passport_id: 'eve:2', attested: true, created_by: 'passport:lead' },
    });
    expect((await must(call('GET', `${ROUTE}/eve:2`))).passport).toEqual(approved.passport);
    const again = await decide(lead(), id, 'reject');
    expect([again.status, again.body.code]).toEqual([409, 'MINT_REQUEST_DECIDED']);
    expect((await receiptsOf(id)).map(({ kind }) => kind)).toEqual([
      'passport.mint_requested',
      'passport.mint_approved',
    ]);
  });

  it('is rejected, and no passport comes of it', async () => {
    const { mint_request_id: id } = (await must(ask(eve(), 'eve:3'))).mint_request;
    expect((await must(decide(lead(), id, 'reject'))).mint_request.status).toBe('rejected');
    expect((await must(eve()('GET', `${MINT}/${id}`))).mint_request.status).toBe('rejected');
    expect((await call('GET', `${ROUTE}/eve:3`)).status).toBe(404);
  });

  it('is never decided by who asked, by whatever name, nor by nobody', async () => {
    const { mint_request_id: id } = (await must(ask(call, 'eve:4', { by_passport: 'eve' }))).mint_request;
    const admin = daemon.as({ scopes: ALL_SCOPES, passport: 'eve' });
    for (const refused of [
      await decide(admin, id, 'approve'),
      await decide(call, id, 'approve', { approver_passport: 'eve' }),
      await decide(call, id, 'approve'),
    ])
      expect([refused.status, refused.body.code]).toEqual([403, 'MAY_NOT_MINT']);
    expect((await decide(eve(), id, 'approve')).body.code).toBe('MISSING_SCOPE');
    expect((await must(call('GET', `${MINT}/${id}`))).mint_request.status).toBe('pending');
  });

  it('is decided once, of two at the same time', async () => {
    const { mint_request_id: id } = (await must(ask(eve(), 'eve:5'))).mint_request;
    const answers = await Promise.all(['approve', 'reject', 'approve'].map((one) => decide(lead(), id, one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('needs somebody who asks, and an id that is free now and when it is approved', async () => {
    expect((await ask(call, 'eve:6')).body.detail).toContain('body.by_passport');
    expect((await ask(eve(), 'plain')).body.code).toBe('PASSPORT_KNOWN');
    const { mint_request_id: id } = (await must(ask(eve(), 'eve:6'))).mint_request;
    await registered('eve:6');
    expect((await decide(lead(), id, 'approve')).body.code).toBe('PASSPORT_KNOWN');
    expect((await must(call('GET', `${MINT}/${id}`))).mint_request.status).toBe('pending');
    expect((await call('GET', `${MINT}/01900000-0000-7000-8000-000000000000`)).status).toBe(404);
    expect((await tenant('umbrella')('GET', `${MINT}/${id}`)).status).toBe(404);
  });
});
