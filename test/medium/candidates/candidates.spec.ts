import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whileLocked } from '../../kit/held-lock.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { CANDIDATES, EXTRACT, extract, promote } from './given.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_AUTO_CAPTURE: '1' }, tenants: ['acme', 'globex'] });
});
afterAll(() => daemon.close());

let count = 0;
/** A tenant of its own, so that no test sees what another stored. */
const given = (): DaemonCall & { tenant: string } => {
  const tenant = `tenant-${count++}`;
  const call = daemon.as({ scopes: 'facts:write facts:read query:read receipts:read', tenant, passport: 'ada' });
  return Object.assign(call, { tenant });
};

const TEXT = [
  'Ada: My favourite editor is Vim.',
  'We decided to use PostgreSQL for storage. Ada lives in London.',
  'To do: renew the certificate',
  'What is for lunch?',
].join('\n');

describe('an extraction', () => {
  it('finds statements, each with the exact words that say it', async () => {
    const call = given();
    const found = await extract(call, TEXT, { session_id: 'run-1', session_date: '2026-01-31' });
    expect(found).toMatchObject({
      schema: 'svc.extraction/1',
      extracted: 4,
      written: 4,
      skipped_existing: 0,
      dropped: 0,
    });
    const said = found.candidates.map(({ entity, key, value }: any) => [entity, key, value]);
    expect(said).toEqual([
      ['person:ada', 'favourite_editor', 'Vim'],
      ['decisions', 'use_postgresql_for_storage', 'use PostgreSQL for storage'],
      ['person:ada', 'lives_in', 'London'],
      ['tasks', 'renew_the_certificate', 'renew the certificate'],
    ]);
    for (const one of found.candidates) {
      expect(one).toMatchObject({
        status: 'pending',
        resolution: 'new',
        session_id: 'run-1',
        session_date: '2026-01-31',
      });
      const [{ start, end, quote, source_id, quote_blake3 }] = one.evidence;
      expect([TEXT.slice(start, end), source_id]).toEqual([quote, found.extraction_id]);
      expect(quote_blake3).toMatch(/^blake3:[0-9a-f]{64}$/);
    }
    const listed = (await call('GET', CANDIDATES)).body;
    expect(listed).toMatchObject({ schema: 'svc.candidates/1', count: 4, next_cursor: null });
    expect(listed.candidates.toReversed()).toEqual(found.candidates);
    expect((await call('GET', '/v1/facts')).body.facts).toEqual([]);
  });

  it('leaves one signed receipt and one event', async () => {
    const call = given();
    const { receipt_id: receipt, extraction_id: id } = await extract(call, TEXT);
    const { body } = await call('GET', `/v1/receipts/${receipt}/verification?tenant_id=${call.tenant}`);
    expect(body).toMatchObject({ signature_valid: true });
    const kinds = (table: string) => daemon.database.query(`select kind from ${table} where subject = '${id}'`);
    expect([await kinds('receipt'), await kinds('outbox_event')]).toEqual([
      [{ kind: 'memory.extracted' }],
      [{ kind: 'memory.extracted' }],
    ]);
  });

  it('looks for what the profile names alone', async () => {
    const of = async (profile: string) =>
      (await extract(given(), TEXT, { profile })).candidates.map(({ entity }: any) => entity);
    expect(await of('tasks')).toEqual(['tasks']);
    expect(await of('decisions')).toEqual(['decisions']);
    expect(await of('preferences')).toEqual(['person:ada']);
    expect(await of('profile')).toEqual(['person:ada']);
  });

  it('stores nothing in a dry run', async () => {
    const call = given();
    const dry = await extract(call, TEXT, { dry_run: true });
    expect(dry).toMatchObject({ extracted: 4, written: 0, dry_run: true, receipt_id: null });
    expect((await call('GET', CANDIDATES)).body.count).toBe(0);
  });

  it('is done once under an operation_id, however often it is sent, and for one request', async () => {
    const call = given();
    const sent = { operation_id: 'op-1' };
    const all = await Promise.all(Array.from({ length: 5 }, () => extract(call, TEXT, sent)));
    expect(new Set(all.map(({ extraction_id }) => extraction_id)).size).toBe(1);
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await call('GET', CANDIDATES)).body.count).toBe(4);
    const other = await call('POST', EXTRACT, { text: 'I prefer tea.', ...sent });
    expect([other.status, other.body.code]).toEqual([409, 'OPERATION_REUSED']);
  });

  it('skips what pending candidates, facts and the same text say', async () => {
    const call = given();
    await extract(call, TEXT);
    expect(await extract(call, TEXT)).toMatchObject({ extracted: 4, written: 0, skipped_existing: 4 });
    const twice = await extract(call, 'I prefer tea. I  prefer TEA!');
    expect(twice).toMatchObject({ extracted: 2, written: 1, skipped_existing: 1 });
    expect(twice.candidates[1]).toMatchObject({ resolution: 'duplicate', candidate_id: null, status: null });
    await call('PUT', '/v1/facts', { entity: 'notes', key: 'n1', value: 'The gate code is 4711.' });
    expect(await extract(call, 'The gate code is 4711.')).toMatchObject({ written: 0, skipped_existing: 1 });
  });

  it('says what it contradicts', async () => {
    const call = given();
    const fact = (await call('PUT', '/v1/facts', { entity: 'person:ada', key: 'lives_in', value: 'Paris' })).body;
    const { candidates } = await extract(call, 'Ada lives in London.');
    expect(candidates[0]).toMatchObject({ resolution: 'conflict', conflicts_with: [fact.fact_id] });
    const batch = await extract(call, 'My name is Bob. My name is Rob.');
    expect(batch.candidates.map(({ resolution }: any) => resolution)).toEqual(['conflict', 'conflict']);
  });

  it('writes each statement once, however many send it at once', async () => {
    const call = given();
    const all = await Promise.all(Array.from({ length: 10 }, () => extract(call, TEXT)));
    expect(all.reduce((sum, { written }) => sum + written, 0)).toBe(4);
    expect((await call('GET', CANDIDATES)).body.count).toBe(4);
  });
});

describe('a candidate', () => {
  const one = async (call: DaemonCall, text = 'Ada lives in London.'): Promise<any> =>
    (await extract(call, text)).candidates[0];

  it('is not promoted over a fact that was stored while it was compared', async () => {
    const call = given();
    const [first, { candidate_id: id, entity, key }] = (await extract(call, TEXT)).candidates;
    // Makes the stream of receipts that promotions write to, and PUT does not.
    await promote(call, first.candidate_id, { reviewer: 'grace' });
    const stream = `select from receipt_head where tenant_id = '${call.tenant}' and stream = 'facts.changes' for update`;
    await whileLocked(daemon.database, stream, async (held) => {
      const promoting = promote(call, id, { reviewer: 'grace' });
      await held.waitForBlocked(1);
      const { fact_id: stored } = (await call('PUT', '/v1/facts', { entity, key, value: 'Paris' })).body;
      await held.commit();
      expect(await promoting).toMatchObject({ status: 422, obstacle: 'conflict', conflicts_with: [stored] });
      const { facts } = (await call('GET', `/v1/facts?entity=${encodeURIComponent(entity)}`)).body;
      expect(facts.map(({ value }: any) => value)).toEqual(['Paris']);
      expect(await promote(call, id, { reviewer: 'grace', supersedes: stored })).toMatchObject({ status: 'promoted' });
    });
  });

  it('becomes a fact with its source, once, however many promote it', async () => {
    const call = given();
    const { candidate_id: id, receipt_id: source } = await one(call);
    const answers = await Promise.all(Array.from({ length: 20 }, () => promote(call, id, { reviewer: 'grace' })));
    expect(
      answers
        .map(({ status_code, status, code }) => [status_code, status, code])
        .filter(([, s]) => s === 'promoted' || s === 200),
    ).toHaveLength(1);
    const { facts } = (await call('GET', '/v1/facts?entity=person:ada')).body;
    expect(facts).toHaveLength(1);
    expect(facts[0]).toMatchObject({ key: 'lives_in', value: 'London', source_receipt: source });
    const { candidate } = (await call('GET', `${CANDIDATES}/${id}`)).body;
    expect(candidate).toMatchObject({
      ...{ status: 'promoted', promoted_fact_id: facts[0].fact_id, reviewer: 'grace' },
      decided_by: expect.any(String),
    });
    expect((await call('POST', `${CANDIDATES}/${id}/reject`, { reason: 'late' })).status).toBe(409);
  });

  it('is rejected with a reason that stays', async () => {
    const call = given();
    const { candidate_id: id } = await one(call);
    const { status, body } = await call('POST', `${CANDIDATES}/${id}/reject`, { reason: 'a one-off' });
    expect([status, body]).toEqual([
      200,
      { candidate_id: id, schema: 'svc.candidate.decision/1', status: 'rejected', receipt_id: expect.any(String) },
    ]);
    const listed = (await call('GET', `${CANDIDATES}?status=rejected`)).body;
    expect(listed.candidates).toMatchObject([{ candidate_id: id, reason: 'a one-off' }]);
    expect((await promote(call, id)).status).toBe(409);
  });

  it('needs a reviewer below the threshold', async () => {
    const call = given();
    const { candidate_id: id } = await one(call);
    expect(await promote(call, id, { auto_threshold: 0.99 })).toMatchObject({
      status: 422,
      obstacle: 'below_threshold',
    });
    expect(await promote(call, id, { auto_threshold: 0.99, reviewer: 'grace' })).toMatchObject({ status: 'promoted' });
  });

  it('in conflict needs to name what it takes the place of, and undone brings that back', async () => {
    const call = given();
    const fact = (await call('PUT', '/v1/facts', { entity: 'person:ada', key: 'lives_in', value: 'Paris' })).body;
    const { candidate_id: id } = await one(call);
    expect(await promote(call, id)).toMatchObject({
      status: 422,
      obstacle: 'conflict',
      conflicts_with: [fact.fact_id],
    });
    expect(await promote(call, id, { supersedes: fact.fact_id })).toMatchObject({ status: 'promoted' });
    const value = async () => (await call('GET', '/v1/facts?entity=person:ada')).body.facts.map((f: any) => f.value);
    expect(await value()).toEqual(['London']);
    const undo = () => call('POST', `${CANDIDATES}/${id}/undo`, { reason: 'it was Grace' });
    expect((await undo()).body).toMatchObject({ status: 'rejected' });
    expect(await value()).toEqual(['Paris']);
    expect((await undo()).body).toMatchObject({ code: 'CANDIDATE_NOT_PROMOTED', candidate_status: 'rejected' });
  });

  it('undone retires its fact; one that was written over stays', async () => {
    const call = given();
    const first = await one(call);
    await promote(call, first.candidate_id);
    await call('POST', `${CANDIDATES}/${first.candidate_id}/undo`, { reason: 'wrong' });
    expect((await call('GET', '/v1/facts?entity=person:ada')).body.facts).toEqual([]);
    const second = await one(call);
    await promote(call, second.candidate_id);
    await call('PUT', '/v1/facts', { entity: 'person:ada', key: 'lives_in', value: 'Rome' });
    const { status, body } = await call('POST', `${CANDIDATES}/${second.candidate_id}/undo`, { reason: 'wrong' });
    expect([status, body.code]).toEqual([409, 'PROMOTION_OVERWRITTEN']);
  });

  it('takes the place of another candidate that it names', async () => {
    const call = given();
    const { candidates } = await extract(call, 'My name is Bob. My name is Rob.');
    const [bob, rob] = candidates.map(({ candidate_id }: any) => candidate_id);
    expect(await promote(call, rob)).toMatchObject({ status: 422, conflicts_with: [bob] });
    expect(await promote(call, rob, { supersedes: [bob] })).toMatchObject({ status: 'promoted' });
    expect((await call('GET', `${CANDIDATES}/${bob}`)).body.candidate.status).toBe('superseded');
  });

  it('is edited before it is decided on, and the receipt says how', async () => {
    const call = given();
    const { candidate_id: id } = await one(call);
    const path = `${CANDIDATES}/${id}`;
    const { body } = await call('PATCH', path, { value: 'London, Ontario', base_version: 1 });
    expect(body.candidate).toMatchObject({
      value: 'London, Ontario',
      version: 2,
      evidence: [{ quote: 'Ada lives in London.' }],
    });
    expect((await call('PATCH', path, { value: 'x', base_version: 1 })).body).toMatchObject({
      code: 'CANDIDATE_CHANGED',
      version: 2,
    });
    const [receipt] = await daemon.database.query<{ receipt_id: string }>(
      `select receipt_id from receipt where kind = 'candidate.changed' and subject = '${id}'`,
    );
    const shown = await call('GET', `/v1/receipts/${receipt!.receipt_id}?tenant_id=${call.tenant}`);
    expect(Buffer.from(shown.body.payload_base64, 'base64').toString()).toContain('London, Ontario');
    const events = await daemon.database.query(`select data from outbox_event where subject = '${id}'`);
    expect(JSON.stringify(events)).not.toContain('Ontario');
    expect((await call('PATCH', path, { entity: 'svc:own' })).status).toBe(400);
  });

  it('is rejected, and decided with others, as the version that was looked at', async () => {
    const call = given();
    const { candidate_id: id } = await one(call);
    await call('PATCH', `${CANDIDATES}/${id}`, { value: 'London, Ontario' });
    const reject = (base_version: number) =>
      call('POST', `${CANDIDATES}/${id}/reject`, { reason: 'old news', base_version });
    expect((await reject(1)).body).toMatchObject({ code: 'CANDIDATE_CHANGED', version: 2 });
    const decide = async (decision: object) =>
      (await call('POST', `${CANDIDATES}/decide`, { decisions: [{ candidate_id: id, ...decision }] })).body.results[0];
    for (const decision of [{ decision: 'promote' }, { decision: 'reject', reason: 'x' }])
      expect(await decide({ ...decision, base_version: 1 })).toMatchObject({
        status_code: 409,
        code: 'CANDIDATE_CHANGED',
      });
    expect((await reject(2)).body.status).toBe('rejected');
  });

  it('is decided with many others, each on its own', async () => {
    const call = given();
    const ids = (await extract(call, TEXT)).candidates.map(({ candidate_id }: any) => candidate_id);
    const missing = '0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11';
    const { body } = await call('POST', `${CANDIDATES}/decide`, {
      decisions: [
        { candidate_id: ids[0], decision: 'promote' },
        { candidate_id: ids[1], decision: 'reject', reason: 'no' },
        { candidate_id: ids[2], decision: 'reject' },
        { candidate_id: ids[0], decision: 'promote' },
        { candidate_id: missing, decision: 'promote' },
        { candidate_id: ids[3], decision: 'promote', auto_threshold: 1 },
      ],
    });
    expect(body.results.map(({ status_code }: any) => status_code)).toEqual([200, 200, 400, 409, 404, 422]);
    expect(body.decided).toBe(2);
  });

  it('is listed page by page, newest first, each once', async () => {
    const call = given();
    const ids = (await extract(call, TEXT)).candidates.map(({ candidate_id }: any) => candidate_id);
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `${CANDIDATES}?limit=1${cursor}`);
      expect(body.has_more).toBe(body.next_cursor !== null);
      found.push(...body.candidates.map(({ candidate_id }: any) => candidate_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(found).toEqual(ids.toReversed());
  });
});

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['no text', { text: undefined }, 'text'],
    ['an empty text', { text: '' }, 'text'],
    ['a text that is too long', { text: 'x'.repeat(1024 * 1024 + 1) }, 'text'],
    ['a text that is none', { text: 7 }, 'text'],
    ['a profile there is not', { profile: 'gossip' }, 'profile'],
    ['a day there is not', { session_date: '2026-02-30' }, 'session_date'],
    ['a member there is not', { color: 'red' }, 'color'],
  ])('is %s: 400 names the member', async (_what, more, member) => {
    const { status, body } = await given()('POST', EXTRACT, { text: 'I prefer tea.', ...more });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(member)]);
  });

  it('is a status there is not, an id that is none, a decision without an end', async () => {
    const call = given();
    expect((await call('GET', `${CANDIDATES}?status=lost`)).status).toBe(400);
    expect((await call('GET', `${CANDIDATES}?cursor=lost`)).status).toBe(400);
    expect((await call('GET', `${CANDIDATES}/nothing`)).status).toBe(400);
    expect((await call('POST', `${CANDIDATES}/decide`, { decisions: [] })).status).toBe(400);
    expect((await promote(call, '0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11')).status).toBe(404);
  });

  it('is the candidate of another tenant, whatever is asked of it', async () => {
    const [acme, globex] = ['acme', 'globex'].map((tenant) => daemon.as({ scopes: 'facts:write query:read', tenant }));
    const { candidate_id: id } = (await extract(acme!, 'I prefer tea.')).candidates[0];
    const path = `${CANDIDATES}/${id}`;
    const answers = await Promise.all([
      globex!('GET', path),
      globex!('PATCH', path, { value: 'x' }),
      globex!('POST', `${path}/promote`, {}),
      globex!('POST', `${path}/reject`, { reason: 'x' }),
      globex!('POST', `${path}/undo`, { reason: 'x' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect((await globex!('GET', CANDIDATES)).body.count).toBe(0);
  });

  it('is a caller without the scope', async () => {
    const reader = daemon.as({ scopes: 'query:read', tenant: 'acme' });
    expect((await reader('POST', EXTRACT, { text: 'I prefer tea.' })).status).toBe(403);
    const writer = daemon.as({ scopes: 'facts:write', tenant: 'acme' });
    expect((await writer('GET', CANDIDATES)).status).toBe(403);
  });
});

it('a daemon without the flag answers as if there were no such address', async () => {
  const plain = await startDaemon({ database: daemon.database });
  const answers = await Promise.all([
    plain.call('POST', EXTRACT, { text: 'I prefer tea.' }),
    plain.call('GET', CANDIDATES),
    plain.call('POST', `${CANDIDATES}/x/promote`, {}),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  await plain.close();
});
