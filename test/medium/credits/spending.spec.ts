import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { asSuperuser } from '../../kit/database.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { startEmbeddings, type EmbeddingsServer } from '../../kit/embeddings.js';
import { balancesOf, givenCredits, ledgerFaults } from '../economy/given.js';
import { must } from '../work/given.js';

const PATH = '/v1/credits/spend';
let api: TestApi;
let endpoint: EmbeddingsServer;
let daemon: TestDaemon;
beforeAll(async () => {
  api = await startApi();
  for (const tenant of ['poor', 'crowd', 'shown', 'noted']) await api.addTenant(tenant, 'free');
  endpoint = await startEmbeddings();
  const embeddings = { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words-5', SVCD_COMPUTE_PROVIDER: '1' };
  daemon = await startDaemon({
    env: { SVCD_CREDIT_METER: '1', SVC_UPGRADE_URL: 'https://svc.example/more', ...embeddings },
    database: api.database,
  });
});
afterAll(async () => {
  await daemon.close();
  await endpoint.close();
  await api.close();
});

const of = (tenant: string, scopes = 'admin:write', passport?: string): DaemonCall =>
  daemon.as({ scopes, tenant, ...(passport === undefined ? {} : { passport }) });
const spend = (tenant: string, body: object) => of(tenant)('POST', PATH, { agent_id: 'ada', ...body });
const balanceOf = async (tenant: string, agent = 'ada') => (await balancesOf(api.database, tenant))[`agent:${agent}`];

describe('POST /v1/credits/spend', () => {
  it('books in the ledger that the tenant API reads, and leaves an event and a receipt', async () => {
    await givenCredits(api, 'acme', 'ada', 30);
    const spent = await must(spend('acme', { credits: 50, reference: 'job-1', note: 'a long job' }));
    expect(spent).toEqual({
      ...{ transfer_id: expect.any(String), agent_id: 'ada', credits: 50, reference: 'job-1', repeated: false },
      ...{ balance_after: 59_980, breakdown: { own: 0, allowance: 59_980, earnings: 0 } },
      ...{ receipt_id: expect.any(String), spent_at: expect.any(String) },
    });
    expect((await api.tenant.call('GET', '/v1/credits/ada')).body).toMatchObject({ balance: 59_980 });
    const dashboard = (await api.tenant.call('GET', '/v1/economy/dashboard/ada')).body;
    expect(JSON.stringify(dashboard)).toContain('"reason":"spend","spent":50');
    const reader = of('acme', 'admin:read receipts:read');
    const path = `/v1/receipts/${spent.receipt_id}/verification?tenant_id=acme`;
    expect((await must(reader('GET', path))).verified).toBe(true);
    const events = await api.database.query<{ kind: string; data: object }>(
      `select kind, data from outbox_event where tenant_id = 'acme' and kind = 'credits.spent'`,
    );
    expect(events).toEqual([
      {
        kind: 'credits.spent',
        data: expect.objectContaining({ agentId: 'ada', credits: 50, reference: 'job-1', balanceAfter: 59_980 }),
      },
    ]);
  });

  it('answers a repeat as it answered first, and refuses another spending under its reference', async () => {
    const first = await must(spend('crowd', { credits: 5, reference: 'once', note: 'why' }));
    await must(spend('crowd', { credits: 7, reference: 'between' }));
    const again = await must(spend('crowd', { credits: 5, reference: 'once', note: 'why' }));
    expect(again).toEqual({ ...first, repeated: true });
    for (const other of [{ credits: 6, note: 'why' }, { credits: 5 }, { credits: 5, note: 'why', agent_id: 'bob' }]) {
      const { status, body } = await spend('crowd', { reference: 'once', ...other });
      expect([status, body.code, body.transfer_id]).toEqual([409, 'SPENDING_KNOWN', first.transfer_id]);
    }
    expect((await must(spend('shown', { credits: 5, reference: 'once' }))).repeated).toBe(false);
  });

  it('spends once what many send at the same time, and never what is not there', async () => {
    const same = await Promise.all(
      Array.from({ length: 10 }, () => must(spend('poor', { credits: 100, reference: 'same' }))),
    );
    expect(new Set(same.map(({ transfer_id }) => transfer_id)).size).toBe(1);
    expect(same.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const racing = await Promise.all(
      Array.from({ length: 10 }, (_, n) => spend('poor', { credits: 90, reference: `race-${n}` })),
    );
    expect(racing.filter(({ status }) => status === 200)).toHaveLength(4);
    const refused = racing.filter(({ status }) => status !== 200);
    for (const { status, body } of refused)
      expect([status, body.code, body.upgradeUrl]).toEqual([429, 'CREDITS_EXHAUSTED', 'https://svc.example/more']);
    expect(Math.min(...refused.map(({ body }) => body.creditBalance))).toBe(40);
    expect(await ledgerFaults(api.database)).toEqual([]);
  });

  it('takes the acting passport where no agent is named, and says what is missing', async () => {
    const named = await must(of('shown', 'admin:write', 'codex:7')('POST', PATH, { credits: 1, reference: 'p' }));
    expect(named.agent_id).toBe('codex:7');
    const cases: [object, string][] = [
      [{ credits: 1, reference: 'x' }, 'body.agent_id'],
      [{ credits: 0, reference: 'x', agent_id: 'a' }, 'body.credits'],
      [{ credits: 1.5, reference: 'x', agent_id: 'a' }, 'body.credits'],
      [{ credits: 1, agent_id: 'a' }, 'body.reference'],
      [{ credits: 1, reference: 'r'.repeat(201), agent_id: 'a' }, 'body.reference'],
      [{ credits: 1, reference: 'x', agent_id: 'a', more: 1 }, 'body.more'],
    ];
    for (const [body, path] of cases) {
      const answer = await of('shown')('POST', PATH, body);
      expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, path]);
    }
  });

  it('takes admin:write alone, and does not reach the credits of agents without a sponsor', async () => {
    const scopes = 'admin:read facts:write compute:embed';
    const { status, body } = await of('acme', scopes)('POST', PATH, { credits: 1, reference: 'x', agent_id: 'a' });
    expect([status, body.missingAnyScope]).toEqual([403, ['admin:write']]);
    const discovery = await spend('svc-discovery', { credits: 1, reference: 'x' });
    expect([discovery.status, discovery.body.code]).toEqual([403, 'TENANT_MISMATCH']);
  });

  it('is not there while its flag is off', async () => {
    const off = await startDaemon({ database: api.database });
    try {
      const { status } = await off.call('POST', PATH, { credits: 1, reference: 'x', agent_id: 'a' });
      expect(status).toBe(404);
    } finally {
      await off.close();
    }
  });
});

describe('the digest of a note', () => {
  const digestOf = (...parts: (Buffer | string)[]): string =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
  const noteOf = async (reference: string): Promise<{ note: string; digest: string | null; salt: Buffer | null }> => {
    const [row] = await api.database.query<any>(
      `select t.note, encode(s.note_digest, 'hex') as digest, s.note_salt as salt, r.cose
       from credit_spending s join ledger_transfer t using (tenant_id, transfer_id) join receipt r using (tenant_id, receipt_id)
       where s.tenant_id = 'noted' and s.reference = '${reference}'`,
    );
    const { body } = openReceipt(row.cose).payload;
    expect(Object.keys(body).filter((name) => name.includes('note'))).toEqual([]);
    return row;
  };
  const change = (reference: string, set: string) =>
    asSuperuser(
      api.database,
      `update credit_spending set ${set} where tenant_id = 'noted' and reference = '${reference}'`,
    );

  it('is recomputed by whoever has note and salt, and confirms no guess without the salt', async () => {
    for (const reference of ['a', 'b']) await must(spend('noted', { credits: 1, reference, note: 'sick' }));
    const [a, b] = [await noteOf('a'), await noteOf('b')];
    expect([a.note, a.digest]).toEqual(['sick', digestOf(a.salt!, a.note)]);
    expect([a.salt!.length, a.digest === b.digest, a.digest === digestOf('sick')]).toEqual([16, false, false]);
    await must(spend('noted', { credits: 1, reference: 'c' }));
    expect(await noteOf('c')).toMatchObject({ note: null, digest: null, salt: null });
  });

  it('of a spending from before there were salts is held against a repeat as it was', async () => {
    const first = await must(spend('noted', { credits: 1, reference: 'old', note: 'sick' }));
    await change('old', `note_salt = null, note_digest = '\\x${digestOf('sick')}'`);
    expect(await must(spend('noted', { credits: 1, reference: 'old', note: 'sick' }))).toEqual({
      ...first,
      repeated: true,
    });
    expect((await spend('noted', { credits: 1, reference: 'old', note: 'well' })).body.code).toBe('SPENDING_KNOWN');
  });

  it('goes with the note and the salt where a subject is erased; the receipt verifies as before', async () => {
    const order = { credits: 1, reference: 'erased', note: 'For Ludwig' };
    const { receipt_id } = await must(spend('noted', order));
    await must(spend('noted', { ...order, reference: 'erased, older' }));
    await change('erased, older', `note_salt = null, note_digest = '\\x${digestOf(order.note)}'`);
    await must(spend('noted', { ...order, reference: 'kept', note: 'For Berta' }));
    const operator = of('noted', 'admin:read admin:write receipts:read');
    await must(operator('POST', '/v1/facts/erase', { texts: ['Ludwig'] }));
    for (const reference of ['erased', 'erased, older'])
      expect(await noteOf(reference)).toMatchObject({ note: '[erased]', digest: null, salt: null });
    const kept = await noteOf('kept');
    expect(kept.digest).toBe(digestOf(kept.salt!, 'For Berta'));
    expect((await spend('noted', order)).body.code).toBe('SPENDING_KNOWN');
    const path = `/v1/receipts/${receipt_id}/verification?tenant_id=noted`;
    expect((await must(operator('GET', path))).verified).toBe(true);
  });
});

describe('POST /v1/compute/embed with the meter on', () => {
  const embed = (tenant: string, texts: number, passport = 'embedder') =>
    of(tenant, 'compute:embed', passport)('POST', '/v1/compute/embed', {
      input: Array.from({ length: texts }, (_, n) => `text ${n}`),
    });

  it('costs a credit for 64 texts or less, and says so', async () => {
    await givenCredits(api, 'shown', 'embedder', 10);
    const { credits, data } = await must(embed('shown', 65));
    expect(data).toHaveLength(65);
    expect(credits).toEqual({ spent: 2, balance_after: expect.any(Number), transfer_id: expect.any(String) });
    expect(await balanceOf('shown', 'embedder')).toBe(8);
    expect((await must(embed('shown', 1))).credits.spent).toBe(1);
  });

  it('costs nothing where no vectors come', async () => {
    const before = await balanceOf('shown', 'embedder');
    endpoint.faults.push(400);
    expect((await embed('shown', 3)).status).toBe(502);
    expect(await balanceOf('shown', 'embedder')).toBe(before);
    expect(await ledgerFaults(api.database)).toEqual([]);
  });

  it('costs nothing where no vectors come, also to a passport that is revoked meanwhile', async () => {
    await must(of('shown')('POST', '/v1/passports', { passport_id: 'leaver' }));
    await givenCredits(api, 'shown', 'leaver', 10);
    endpoint.faults.push(400);
    endpoint.manner.delayMs = 1_500;
    const asked = embed('shown', 3, 'leaver');
    await expect.poll(() => balanceOf('shown', 'leaver')).toBe(9);
    await must(of('shown')('DELETE', '/v1/passports/leaver'));
    expect((await asked).status).toBe(502);
    delete endpoint.manner.delayMs;
    expect(await balanceOf('shown', 'leaver')).toBe(10);
  });

  it('asks nobody for vectors that cannot be paid', async () => {
    await must(spend('poor', { credits: 40, reference: 'the rest' }));
    const { status, body } = await embed('poor', 1);
    expect([status, body.code, body.creditBalance]).toEqual([429, 'CREDITS_EXHAUSTED', 0]);
  });
});
