import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { documentOf, ended, found, foundTexts } from './given.js';

let api: TestApi;
let acme: TestTenant;
let owner: Client;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  owner = new Client({ connectionString: api.database.superuserUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await api.close();
});

/** An error in the database that hits one document's passages, as often as `times`. */
async function poison(docId: string, code: string, times: number): Promise<void> {
  await owner.query(`
    create sequence strikes_${docId};
    grant usage on sequence strikes_${docId} to svc_app;
    create function strike_${docId}() returns trigger language plpgsql as $$
    begin
      if new.doc_id = '${docId}' and nextval('strikes_${docId}') <= ${times} then raise exception 'struck' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger strike_${docId} before insert on chunk for each row execute function strike_${docId}();`);
}

const statuses = (ends: { status: string }[]): string[] => ends.map((end) => end.status);

async function sendBatch(documents: unknown[]): Promise<string[]> {
  const { status, body } = await acme.call('POST', '/v1/ingest/batch', { documents });
  expect(status).toBe(202);
  return body.accepted.map(({ ingestId }: { ingestId: string }) => ingestId);
}

describe('a document that the database refuses', () => {
  it('fails alone and at once, with the reason', async () => {
    await poison('poisoned', '22000', 1_000);
    const docIds = ['before', 'poisoned', 'after'];
    const ids = await sendBatch(docIds.map((docId) => documentOf(acme, { docId, content: `A quoll named ${docId}.` })));
    const ends = await Promise.all(ids.map((id) => ended(acme, id)));
    expect(statuses(ends)).toEqual(['completed', 'failed', 'completed']);
    expect(ends[1]).toEqual({
      ingestId: ids[1],
      status: 'failed',
      error: 'The database refused the document (SQLSTATE 22000).',
    });
    expect((await foundTexts(acme, 'quoll')).map(([docId]) => docId)).toEqual(['after', 'before']);
  });
});

describe('a transient error', () => {
  it('is tried again until it has passed, and nothing is found twice', async () => {
    // Twice: the slice as a whole, then the document alone.
    await poison('unlucky', '0A000', 2);
    const docIds = ['lucky', 'unlucky'];
    const ids = await sendBatch(
      docIds.map((docId) => documentOf(acme, { docId, content: `A potoroo named ${docId}.` })),
    );
    expect(statuses(await Promise.all(ids.map((id) => ended(acme, id))))).toEqual(['completed', 'completed']);
    expect((await foundTexts(acme, 'potoroo')).map(([docId]) => docId)).toEqual(docIds);
    expect(await retriesOf(ids[1]!)).toBe(1);
    expect((await acme.call('GET', `/v1/ingest/${ids[1]}`)).body.error).toBe(null);
  });
});

describe('a job', () => {
  it('that is delivered again after its work was committed does nothing', async () => {
    const [ingestId] = await sendBatch([documentOf(acme, { docId: 'again', content: 'A bettong hops.' })]);
    await ended(acme, ingestId!);
    const before = [
      await found(acme, 'bettong'),
      await api.database.query('select * from ingest where ingest_id = $1', [ingestId]),
    ];
    await owner.query(
      `insert into pgboss.job (name, data) select name, data from pgboss.job where data -> 'ingestIds' ? $1`,
      [ingestId],
    );
    await expect.poll(() => openJobs(ingestId!), { timeout: 15_000 }).toBe(0);
    const after = [
      await found(acme, 'bettong'),
      await api.database.query('select * from ingest where ingest_id = $1', [ingestId]),
    ];
    expect(after).toEqual(before);
  });

  it('that was given up leaves its ingests failed with a reason', async () => {
    const [ingestId] = await sendBatch([documentOf(acme, { docId: 'given-up', content: 'A kowari.' })]);
    await ended(acme, ingestId!);
    // The worker looks for unfinished ingests once more before its job ends.
    await expect.poll(() => openJobs(ingestId!), { timeout: 15_000 }).toBe(0);
    await owner.query(`update ingest set status = 'processing', finished_at = null where ingest_id = $1`, [ingestId]);
    const data = JSON.stringify({ tenantId: 'acme', ingestIds: [ingestId] });
    await owner.query(`insert into pgboss.job (name, data) values ('ingest.dead', $1)`, [data]);
    expect(await ended(acme, ingestId!)).toEqual({
      ingestId,
      status: 'failed',
      error: expect.stringContaining('The worker was lost too many times'),
    });
  });
});

describe('work on a document', () => {
  it('is said to go on where the document is large; a small one is queued until it is completed', async () => {
    const contents = ['The bilby digs. '.repeat(5_000), 'A bilby.'];
    await owner.query('begin');
    // Nothing but the publication of versions writes passages.
    await owner.query('lock table chunk in share mode');
    const ids = await sendBatch(
      contents.map((content, index) => documentOf(acme, { docId: `bilby-${index}`, content })),
    );
    const states = () => Promise.all(ids.map(async (id) => (await acme.call('GET', `/v1/ingest/${id}`)).body.status));
    await expect.poll(states, { timeout: 15_000 }).toEqual(['processing', 'queued']);
    await owner.query('rollback');
    expect(statuses(await Promise.all(ids.map((id) => ended(acme, id))))).toEqual(['completed', 'completed']);
  });
});

describe('two processes', () => {
  it('that work on versions of one document leave the last accepted one in search, once', async () => {
    const second = await startApi({ database: api.database });
    const rounds = Array.from({ length: 40 }, (_, index) =>
      documentOf(acme, { docId: `contested-${index % 4}`, content: `The dunnart, take ${index}.` }),
    );
    const accepted: Awaited<ReturnType<TestTenant['call']>>[] = [];
    while (accepted.length < rounds.length) {
      const together = rounds.slice(accepted.length, accepted.length + 8);
      accepted.push(...(await Promise.all(together.map((document) => acme.call('POST', '/v1/ingest', document)))));
    }
    expect(accepted.map(({ status, body }) => (status === 202 ? 202 : body))).toEqual(rounds.map(() => 202));
    const ends = await Promise.all(accepted.map(({ body }) => ended(acme, body.ingestId as string)));
    expect(new Set(statuses(ends))).toEqual(new Set(['completed']));
    const last = await api.database.query<{ doc_id: string; content: string }>(
      `select distinct on (doc_id) doc_id, content from document_version where doc_id like 'contested-%' order by doc_id, version desc`,
    );
    expect(await foundTexts(acme, 'dunnart')).toEqual(last.map((row) => [row.doc_id, row.content]));
    await second.close();
  });
});

async function retriesOf(ingestId: string): Promise<number> {
  const { rows } = await owner.query<{ retry_count: number }>(
    `select retry_count from pgboss.job where data -> 'ingestIds' ? $1`,
    [ingestId],
  );
  return rows[0]!.retry_count;
}

async function openJobs(ingestId: string): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(
    `select count(*)::int as n from pgboss.job where data -> 'ingestIds' ? $1 and state in ('created', 'retry', 'active')`,
    [ingestId],
  );
  return rows[0]!.n;
}
