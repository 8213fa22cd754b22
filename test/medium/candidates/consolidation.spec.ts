import { afterAll, beforeAll, expect, it } from 'vitest';
import { CandidateExpiry } from '../../../src/modules/memory/candidates/candidate-expiry.js';
import { ConsolidationService } from '../../../src/modules/memory/candidates/consolidation.service.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { CANDIDATES, extract, promote } from './given.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({
    env: { SVCD_AUTO_CAPTURE: '1', SVCD_CONSOLIDATION_SCHEDULER: '1', SVCD_FEATURE_LEGAL_HOLD: '1' },
    tenants: ['acme', 'held'],
  });
  call = daemon.as({ scopes: 'facts:write facts:read query:read', tenant: 'acme' });
});
afterAll(() => daemon.close());

const put = async (entity: string, key: string, value: string, more: object = {}): Promise<string> =>
  (await call('PUT', '/v1/facts', { entity, key, value, ...more })).body.fact_id;
const jobs = async (of: TestDaemon): Promise<string[]> =>
  (await of.call('GET', '/v1/version')).body.scheduler.jobs.map(({ name }: any) => name);

it('consolidation puts forward what should be retired, once, and changes no fact by itself', async () => {
  const alike = await put('user:ada', 'note', 'Ada keeps the spare key under the third stone');
  await put('user:ada', 'notes', 'Ada keeps the spare key under the third stone!');
  const against = await put('user:bob', 'City', 'Rome');
  const newer = await put('user:bob', 'city', 'Paris');
  const over = await put('user:eve', 'visa', 'valid', {
    valid_from: '2020-01-01T00:00:00Z',
    valid_to: '2021-01-01T00:00:00Z',
  });
  await put('user:eve', 'city', 'Oslo');
  const service = daemon.app.get(ConsolidationService, { strict: false });
  for (let turn = 0; turn < 3; turn++) await service.look();
  const { candidates } = (await call('GET', CANDIDATES)).body;
  const seen = candidates.map((one: any) => [one.target_fact_id, one.extractor.pattern, one.resolution]);
  expect(seen.toSorted()).toEqual(
    [
      [alike, 'near_duplicate', 'duplicate'],
      [against, 'contradiction', 'conflict'],
      [over, 'expired', 'new'],
    ].toSorted(),
  );
  expect((await call('GET', '/v1/facts?top_k=50')).body.facts).toHaveLength(6);
  const conflict = candidates.find(({ target_fact_id }: any) => target_fact_id === against);
  expect(conflict).toMatchObject({ action: 'retire', profile: 'consolidation', conflicts_with: [newer] });
  expect((await call('PATCH', `${CANDIDATES}/${conflict.candidate_id}`, { value: 'x' })).status).toBe(400);
  expect(await promote(call, conflict.candidate_id)).toMatchObject({ status: 'promoted', promoted_fact_id: null });
  expect((await call('GET', `/v1/facts/${against}`)).status).toBe(404);
  const gone = candidates.find(({ target_fact_id }: any) => target_fact_id === over);
  await call('DELETE', `/v1/facts/${over}`);
  expect(await promote(call, gone.candidate_id)).toMatchObject({ status: 422, obstacle: 'target_gone' });
});

it('a decision that a legal hold refuses is its own result, with the receipt of a refusal', async () => {
  const held = daemon.as({ scopes: 'facts:write facts:read query:read admin:write admin:read', tenant: 'held' });
  const over = { value: 'x', valid_from: '2020-01-01T00:00:00Z', valid_to: '2021-01-01T00:00:00Z' };
  for (const entity of ['free:a', 'case:b', 'free:c']) await held('PUT', '/v1/facts', { entity, key: 'k', ...over });
  await daemon.app.get(ConsolidationService, { strict: false }).look();
  const { candidates } = (await held('GET', CANDIDATES)).body;
  const decisions = ['free:a', 'case:b', 'free:c'].map((name) => {
    const { candidate_id } = candidates.find(({ entity }: any) => entity === name);
    return { candidate_id, decision: 'promote' };
  });
  const placed = { tenant_id: 'held', reason: 'case', entity_prefixes: ['case:'] };
  const hold = await held('POST', '/v1/legal-holds', placed);
  expect(hold.status).toBe(201);
  const { status, body } = await held('POST', `${CANDIDATES}/decide`, { decisions });
  expect([status, body.decided]).toEqual([200, 2]);
  expect(body.results).toMatchObject([
    { status_code: 200, status: 'promoted' },
    { status_code: 409, code: 'LEGAL_HOLD', detail: expect.stringContaining('case:b') },
    { status_code: 200, status: 'promoted' },
  ]);
  const kept = (await held('GET', `${CANDIDATES}/${decisions[1]!.candidate_id}`)).body.candidate;
  expect(kept.status).toBe('pending');
  const refused = await daemon.database.query(
    `select subject from outbox_event where tenant_id = 'held' and kind = 'hold.refused_deletion'`,
  );
  expect(refused).toEqual([{ subject: hold.body.hold.id }]);
});

it('consolidation is among the scheduled work that GET /v1/version reports, exactly where it is on', async () => {
  expect(await jobs(daemon)).toContain('consolidation');
  const off = await startDaemon({ database: daemon.database, env: { SVCD_AUTO_CAPTURE: '1' } });
  expect(await jobs(off)).not.toContain('consolidation');
  await off.close();
});

it('a candidate that nobody decides on expires, with receipt and event', async () => {
  const { candidates } = await extract(call, 'I prefer tea. I prefer rye.');
  const [old, fresh] = candidates.map(({ candidate_id }: any) => candidate_id);
  await daemon.database.query(
    `update candidate set created_at = now() - interval '31 days' where candidate_id = '${old}'`,
  );
  await daemon.app.get(CandidateExpiry, { strict: false }).sweep();
  const status = async (id: string) => (await call('GET', `${CANDIDATES}/${id}`)).body.candidate.status;
  expect([await status(old), await status(fresh)]).toEqual(['expired', 'pending']);
  expect(await promote(call, old)).toMatchObject({ status: 409, candidate_status: 'expired' });
  const kinds = await daemon.database.query(`select kind from receipt where subject = '${old}'`);
  expect(kinds).toEqual([{ kind: 'candidate.expired' }]);
  // The text may come again.
  expect(await extract(call, 'I prefer tea.')).toMatchObject({ written: 1 });
});
