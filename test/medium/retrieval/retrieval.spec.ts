import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { essay, found, ingest, retrieve, withdraw } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

describe('POST /v1/retrieve', () => {
  it('answers with the passage, its score parts and its cost, whole', async () => {
    await ingest(acme, [
      { docId: 'leave', title: 'Leave policy', content: 'Everyone has 28 days of leave a year.' },
      { docId: 'travel', title: 'Travel', content: 'Trains are preferred to planes.' },
    ]);
    const answer = await retrieve(acme, 'How many days of leave?');
    const [result] = answer.results;
    expect(answer).toEqual({
      results: [
        {
          chunkId: expect.stringMatching(/^chk_[0-9a-f]{32}$/),
          docId: 'leave',
          tenantId: 'acme',
          corpusId: 'handbook',
          content: 'Everyone has 28 days of leave a year.',
          title: 'Leave policy',
          url: 'https://example.com/leave',
          score: result.score,
          scoreComponents: { vector: 0, lexical: expect.any(Number), recency: 0.05, laneWeight: 0 },
          source: 'tenant',
        },
      ],
      credit_cost: 0,
      cost_reason: 'tenant_only_query',
      meta: {
        fit: 'strong',
        lane: 'light',
        vectorBackend: 'none',
        tookMs: expect.any(Number),
        exact: true,
        scanned: 1,
        truncated: false,
      },
    });
    const { vector, lexical, recency, laneWeight } = result.scoreComponents;
    expect(result.score).toBe(lexical + vector + recency + laneWeight);
    expect(lexical).toBeGreaterThan(0);
  });

  it('finds nothing where nothing matches, and in a new tenant', async () => {
    expect(await found(acme, 'zebra')).toEqual([]);
    expect(await found(acme, 'the of and')).toEqual([]);
    const empty = await api.addTenant('empty');
    expect(await found(empty, 'leave days', { includeCommons: false })).toEqual([]);
  });

  it('names the field that is wrong', async () => {
    const wrong = [
      [{ query: 'x' }, 'query'],
      [{ query: 'leave', limit: 0 }, 'limit'],
      [{ query: 'leave', limit: 51 }, 'limit'],
      [{ query: 'leave', lane: 'fast' }, 'lane'],
      [{ query: 'leave', corpusIds: [1] }, 'corpusIds'],
      [{ query: 'leave', agentId: '' }, 'agentId'],
      [{ query: 'leave', extra: 1 }, 'extra'],
    ] as const;
    for (const [body, path] of wrong) {
      const answer = await acme.call('POST', '/v1/retrieve', body);
      expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([400, expect.stringContaining(path)]);
    }
  });

  it('searches the named corpora only', async () => {
    await ingest(acme, [
      { corpusId: 'one', docId: 'a', content: 'The heron stands in the water.' },
      { corpusId: 'two', docId: 'b', content: 'The heron flies over the water.' },
    ]);
    expect((await found(acme, 'heron')).sort()).toEqual(['a', 'b']);
    expect(await found(acme, 'heron', { corpusIds: ['two'] })).toEqual(['b']);
    expect(await found(acme, 'heron', { corpusIds: ['three'] })).toEqual([]);
  });

  it('analyses each corpus in its language', async () => {
    await ingest(acme, [{ corpusId: 'deutsch', docId: 'haus', content: 'Die Häuser der Stadt.', language: 'german' }]);
    expect(await found(acme, 'haus', { corpusIds: ['deutsch'] })).toEqual(['haus']);
  });

  it('says whether more passages match', async () => {
    await ingest(
      acme,
      Array.from({ length: 12 }, (_, i) => ({ corpusId: 'owls', docId: `owl${i}`, content: `Owl ${i} hoots.` })),
    );
    const some = await retrieve(acme, 'owl', { corpusIds: ['owls'], limit: 11 });
    const all = await retrieve(acme, 'owl', { corpusIds: ['owls'], limit: 12 });
    expect([some.results.length, some.meta.truncated, all.results.length, all.meta.truncated]).toEqual([
      11,
      true,
      12,
      false,
    ]);
  });
});

describe('what a tenant sees', () => {
  it('is its own, the commons, and what it is entitled to; with the cost of the commons', async () => {
    const publisher = await api.addTenant('publisher');
    await ingest(publisher, [
      { corpusId: 'shared', docId: 'private', content: 'quetzal in the private notes' },
      { corpusId: 'shared', docId: 'sold', content: 'quetzal in the sold atlas', shareability: 'entitled_only' },
      { corpusId: 'shared', docId: 'open', content: 'quetzal in the open atlas', shareability: 'public_safe' },
    ]);
    expect((await found(publisher, 'quetzal')).sort()).toEqual(['open', 'private', 'sold']);

    const seen = await retrieve(acme, 'quetzal');
    expect(seen.results.map((r: any) => [r.docId, r.tenantId, r.source])).toEqual([['open', null, 'commons']]);
    expect([seen.credit_cost, seen.cost_reason]).toEqual([1, 'paid_tier_commons_query']);
    const free = await api.addTenant('thrifty', 'free');
    const cheap = await retrieve(free, 'quetzal');
    expect([cheap.credit_cost, cheap.cost_reason]).toEqual([5, 'free_tier_commons_rate']);

    const own = await retrieve(acme, 'quetzal', { includeCommons: false });
    expect([own.results, own.credit_cost, own.cost_reason]).toEqual([[], 0, 'tenant_only_query']);

    await api.database.query(
      `insert into entitlement (tenant_id, publisher_tenant_id, corpus_id) values ('acme', 'publisher', 'shared')`,
    );
    expect((await found(acme, 'quetzal')).sort()).toEqual(['open', 'sold']);
    expect(await found(free, 'quetzal')).toEqual(['open']);
    await api.database.query(`delete from entitlement`);
    expect(await found(acme, 'quetzal')).toEqual(['open']);
  });
});

describe('two processes on one database', () => {
  it('find a document from its commit on and not after its deletion, and rank alike', async () => {
    const second = await startApi({ database: api.database });
    const elsewhere: TestTenant = { ...acme, call: caller(second.url, 'acme', acme.apiKey) };
    for (let i = 0; i < 5; i++) {
      await ingest(acme, [{ corpusId: 'fresh', docId: `kiwi${i}`, content: `A kiwi, number ${i}.` }]);
      expect((await found(elsewhere, 'kiwi')).length).toBe(i + 1);
    }
    await withdraw(elsewhere, 'kiwi3', 'fresh');
    expect(await found(acme, 'kiwi')).not.toContain('kiwi3');
    await ingest(elsewhere, [{ corpusId: 'fresh', docId: 'kiwi4', content: 'Now about emus.' }]);
    expect([(await found(acme, 'kiwi')).sort(), await found(acme, 'emus')]).toEqual([
      ['kiwi0', 'kiwi1', 'kiwi2'],
      ['kiwi4'],
    ]);
    const [here, there] = await Promise.all([retrieve(acme, 'kiwi number'), retrieve(elsewhere, 'kiwi number')]);
    expect(there.results).toEqual(here.results);
    await second.close();
  });
});

/**
 * Ids of passages are keyed, so another database has others, and another order of equal scores. Those that share the
 * score of the last one are left out: which of them is within the limit is decided by id.
 */
const comparable = ({ results }: { results: { chunkId: string; docId: string; score: number }[] }) =>
  results
    .filter(({ score }) => score > results.at(-1)!.score)
    .map(({ chunkId, ...result }) => ({ ...result, hasId: chunkId.startsWith('chk_') }))
    .sort((a, b) => b.score - a.score || a.docId.localeCompare(b.docId));

describe('merging', () => {
  it('changes no result, and keeps the segments few', async () => {
    const merging = await startApi();
    for (let batch = 0; batch < 12; batch++) {
      const documents = Array.from({ length: 5 }, (_, i) => ({
        corpusId: 'essays',
        docId: `e${batch * 5 + i}`,
        content: essay(batch * 5 + i),
      }));
      await ingest(merging.tenant, documents);
      if (batch % 3 === 2) await withdraw(merging.tenant, `e${batch * 5}`, 'essays');
    }
    const still = await startApi({ database: merging.database, env: { SVC_JOBS: '0' } });
    const reader: TestTenant = { ...merging.tenant, call: caller(still.url, 'acme', merging.tenant.apiKey) };
    const queries = Array.from({ length: 10 }, (_, i) => essay(1000 + i, 6));
    await settled(merging);
    const after = await Promise.all(queries.map((query) => retrieve(reader, query, { limit: 20 })));
    const whole = await startApi();
    const documents = Array.from({ length: 60 }, (_, i) => ({ corpusId: 'essays', docId: `e${i}`, content: essay(i) }));
    await ingest(
      whole.tenant,
      documents.filter(({ docId }) => !['e10', 'e25', 'e40', 'e55'].includes(docId)),
    );
    const atOnce = await Promise.all(queries.map((query) => retrieve(whole.tenant, query, { limit: 20 })));
    expect(after.map(comparable)).toEqual(atOnce.map(comparable));
    const [{ count }] = (await merging.database.query<{ count: number }>(
      'select count(*)::int as count from index_segment',
    )) as [{ count: number }];
    expect(count).toBeLessThan(8);
    expect(await merging.database.query('select from index_garbage')).toEqual([]);
    expect(
      await merging.database.query('select segment_id from index_posting except select segment_id from index_segment'),
    ).toEqual([]);
    await Promise.all([merging.close(), still.close(), whole.close()]);
  });
});

it('withdrawals and additions during merges are neither lost nor undone', async () => {
  const busy = await startApi();
  const writers = Array.from({ length: 3 }, async (_, writer) => {
    for (let i = 0; i < 14; i++) {
      const docId = `w${writer}-${i}`;
      await ingest(busy.tenant, [{ corpusId: 'busy', docId, content: `The lynx ${docId} waits.` }]);
      if (i % 3 === 1) await withdraw(busy.tenant, `w${writer}-${i - 1}`, 'busy');
    }
  });
  await Promise.all(writers);
  // Of every three documents of a writer the first is withdrawn when the second is in; the last group is of two.
  const left = Array.from({ length: 14 }, (_, i) => i).filter((i) => i % 3 !== 0);
  const expected = new Set([0, 1, 2].flatMap((writer) => left.map((i) => `w${writer}-${i}`)));
  expect(new Set(await found(busy.tenant, 'lynx', { limit: 50 }))).toEqual(expected);
  await settled(busy);
  expect(new Set(await found(busy.tenant, 'lynx', { limit: 50 }))).toEqual(expected);
  await busy.close();
});

it('a reader that learns of withdrawals one by one sees what one that comes late sees', async () => {
  const writer = await startApi({ env: { SVC_INDEX_MERGE_CONCURRENCY: '0' } });
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
  await ingest(
    writer.tenant,
    names.map((docId) => ({ corpusId: 'pond', docId, content: `A newt in pond ${docId}.` })),
  );
  for (const docId of names.slice(0, 6)) {
    await withdraw(writer.tenant, docId, 'pond');
    await ingest(writer.tenant, [
      { corpusId: 'pond', docId: `${docId}-again`, content: `A newt is back in ${docId}.` },
    ]);
    expect(await found(writer.tenant, 'newt', { limit: 50 })).not.toContain(docId);
  }
  const late = await startApi({ database: writer.database });
  const reader: TestTenant = { ...writer.tenant, call: caller(late.url, 'acme', writer.tenant.apiKey) };
  const [steady, fresh] = await Promise.all(
    [writer.tenant, reader].map((tenant) => retrieve(tenant, 'newt pond', { limit: 50, lane: 'audit' })),
  );
  expect(steady.results.length).toBe(12);
  expect(fresh.results).toEqual(steady.results);
  await Promise.all([late.close(), writer.close()]);
});

/** Waits until no merge is queued or running. */
async function settled(at: TestApi): Promise<void> {
  for (;;) {
    const busy = await at.database.query(
      `select from pgboss.job where name = 'index.merge' and state in ('created', 'retry', 'active')`,
    );
    if (busy.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('altered rows', () => {
  const small = 'A narwhal in the ice.';
  /** More passages than a segment has whose postings come with it. */
  const large = Array.from({ length: 400 }, (_, n) => `${small} ${'It is wide and cold. '.repeat(60)} ${n}`).join(
    '\n\n',
  );
  const alter = `update index_posting set postings = set_byte(postings, 0, get_byte(postings, 0) # 1)`;
  it.each([
    ['a posting row', small, alter],
    ['a deleted posting row', small, `delete from index_posting`],
    ['a posting row of a large segment', large, alter],
    ['a deleted posting row of a large segment', large, `delete from index_posting`],
    ['a header', small, `update index_segment set header = set_byte(header, 20, get_byte(header, 20) # 1)`],
  ])('%s fails the query, says so and is counted', async (_, content, statement) => {
    const { database, tenant, ...writing } = await startApi();
    await ingest(tenant, [{ docId: 'sea', content }]);
    const [segment] = await database.query(`select chunk_count > 256 as is_large from index_segment`);
    expect(segment).toEqual({ is_large: content === large });
    await database.query(statement);
    const reading = await startApi({ database, env: { SVC_JOBS: '0' } });
    const call = caller(reading.url, tenant.tenantId, tenant.apiKey);
    const answer = await call('POST', '/v1/retrieve', { query: 'narwhal' });
    expect([answer.status, answer.body.type, answer.body.segmentId]).toEqual([
      500,
      'IndexCorrupted',
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    const metrics = await fetch(`${reading.url}/metrics`).then((response) => response.text());
    expect(metrics).toContain('svc_index_corruptions_total 1');
    await reading.close();
    await writing.close();
  });

  it.each([[small], [large]])(
    'are not read by the process that wrote them: it searches what it wrote',
    async (content) => {
      const api = await startApi();
      await ingest(api.tenant, [{ docId: 'sea', content }]);
      await api.database.query('delete from index_posting');
      expect(new Set(await found(api.tenant, 'narwhal'))).toEqual(new Set(['sea']));
      await api.close();
    },
  );

  it('a text that is not the one indexed fails the verified and audit lanes', async () => {
    const broken = await startApi();
    await ingest(broken.tenant, [{ docId: 'sea', content: 'A narwhal in the ice.' }]);
    await broken.database.query(`update chunk set content = 'A narwhal in the sun.'`);
    for (const lane of ['verified', 'audit']) {
      const answer = await broken.tenant.call('POST', '/v1/retrieve', { query: 'narwhal', lane });
      expect([answer.status, answer.body.type]).toEqual([500, 'PassageCorrupted']);
    }
    await broken.close();
  });
});
