import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProofRunService } from '../../../src/modules/knowledge/proofs/engine/proof-run.service.js';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { freshDatabase } from '../../kit/database.js';
import { givenAnswer, retrieve } from '../proofs/given.js';
import { balancesOf, givenShared, ledgerFaults } from './given.js';

/** Works on no jobs: what is asked of it stays queued. */
let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  const database = await freshDatabase();
  const working = await startApi({ database });
  acme = await working.addTenant('prover', 'free');
  await givenShared(acme, 'owner_only', { corpusId: 'c', docId: 'd' });
  const [found] = await retrieve(acme, 'wombats burrows', { agentId: 'a', includeCommons: false });
  await givenAnswer(acme, [found.chunkId], { agentId: 'a', answerId: 'cited' });
  await working.close();
  api = await startApi({ database, env: { SVC_JOBS: '0' } });
  acme = { ...acme, call: caller(api.url, acme.tenantId, acme.apiKey) };
});
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(async () => {
  await api.close();
  await api.database.drop();
});

const prove = (mode: string, members: object = {}) =>
  acme.call('POST', '/v1/proof/jobs', { mode, agentId: 'a', artefact_id: 'cited', ...members });
const balance = async () => (await acme.call('GET', '/v1/credits/a')).body.balance as number;

describe('a proof', () => {
  it('costs by its mode, once', async () => {
    const before = await balance();
    const costs: number[] = [];
    for (const mode of ['light', 'verified', 'audit']) {
      const start = await balance();
      const { status, body } = await prove(mode);
      expect([status, body.chargedMode]).toEqual([202, mode]);
      costs.push(start - (await balance()));
      expect(body.credits).toBe(costs.at(-1));
    }
    expect(costs).toEqual([1, 5, 20]);
    const key = { 'x-idempotency-key': 'prove-it-once' };
    const body = { mode: 'verified', agentId: 'a', answerId: 'cited' };
    for (let again = 0; again < 2; again++) await acme.call('POST', '/v1/proof/jobs', body, key);
    expect(before - (await balance())).toBe(31);
    expect((await prove('audit', { artefact_id: 'c/nothing' })).status).toBe(404);
    expect(before - (await balance())).toBe(31);
  });

  it('costs as the mode before it where its own has nothing more to check', async () => {
    const start = await balance();
    const { body } = await prove('verified', { artefact_id: 'c/d' });
    expect([body.mode, body.chargedMode, body.credits, start - (await balance())]).toEqual(['verified', 'light', 1, 1]);
  });

  it('gives back what it cost when it fails, once', async () => {
    const before = await balancesOf(api.database, 'prover');
    const { body } = await prove('audit');
    const task = { tenantId: 'prover', jobId: body.jobId };
    const runs = api.app.get(ProofRunService);
    await Promise.all([1, 2, 3].map(() => runs.giveUp(task, 'lost')));
    expect((await acme.call('GET', `/v1/proof/jobs/${body.jobId}`)).body).toMatchObject({
      status: 'failed',
      error: 'lost',
    });
    expect(await balancesOf(api.database, 'prover')).toEqual(before);
    const [spent] = (await acme.call('GET', '/v1/economy/dashboard/a')).body.spend.byReason;
    expect(spent).toEqual({ reason: 'proof', spent: 52, returned: 20 });
  });

  it('is not made without the credits', async () => {
    await api.database.query(
      `select svc_spend('prover', gen_random_uuid(), 'x', $1, 'revenue', 'test', 'drain', 'test', null, 500)`,
      [(await balance()) - 4],
    );
    const { status, body } = await prove('verified');
    expect([status, body.type, body.creditBalance]).toEqual([429, 'CreditsExhausted', 4]);
    expect((await prove('light')).status).toBe(202);
    const rows = await api.database.query<{ n: number }>(
      `select count(*)::int as n from proof_job j where not exists (select from ledger_transfer t where t.tenant_id = j.tenant_id and t.reference = j.job_id::text)`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
});
