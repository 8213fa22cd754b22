import { decodeFirst } from 'cborg';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { ADVISORY_LOCKS } from '../../../src/common/database/advisory-locks.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { SegmentCheck } from '../../../src/modules/memory/local-ingest/segment-check.service.js';
import { send, startApi, type Answer, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const MIB = 1024 * 1024;
let daemon: TestDaemon;
let api: TestApi;
beforeAll(async () => {
  daemon = await startDaemon();
  api = await startApi({ database: daemon.database });
});
afterAll(async () => {
  await api.close();
  await daemon.close();
});

const document = (doc_id: string, text = `The text of ${doc_id}, with facts about herons.`) => ({
  doc_id,
  title: `About ${doc_id}`,
  text,
});
const ingest = (documents: unknown, members: object = {}): Promise<Answer> =>
  daemon.call('POST', '/v1/local/ingest', { tenant_id: 'default', corpus_id: 'birds', documents, ...members });

interface Segment {
  tenant_id: string;
  segment_seq: string;
  frames: Buffer;
  digest: Buffer;
  frame_count: number;
}
const segmentsOf = (tenant: string) =>
  daemon.database.query<Segment>('select * from sealed_segment where tenant_id = $1 order by segment_seq', [tenant]);

/** Reads a segment as docs/formats/segments.md says, without the code that wrote it. */
function readSegment(bytes: Buffer): any[] {
  const items: unknown[] = [];
  for (let rest: Uint8Array = bytes; rest.length > 0;) {
    const [item, after] = decodeFirst(rest) as [unknown, Uint8Array];
    items.push(item);
    rest = after;
  }
  return items;
}

const WAITING = `select a.backend_xid is not null as wrote from pg_stat_activity a
  where a.datname = current_database() and a.wait_event_type = 'Lock' and a.wait_event = 'advisory'`;

describe('POST /v1/local/ingest', () => {
  it('answers when the documents are searchable and sealed', async () => {
    const { tenantId, call } = api.tenant;
    const { status, body } = await ingest(
      [
        { ...document('heron'), url: 'https://example.com/heron' },
        { ...document('egret', '# Egret\n\nEgrets are white herons.'), content_type: 'text/markdown' },
      ],
      { tenant_id: tenantId },
    );
    expect([status, body]).toEqual([
      200,
      {
        ingested: 2,
        documents: [
          {
            doc_id: 'heron',
            version: 1,
            status: 'ingested',
            chunk_count: 1,
            content_hash: blake3Digest('The text of heron, with facts about herons.'),
          },
          expect.objectContaining({ doc_id: 'egret', version: 1, status: 'ingested' }),
        ],
        frame_count: 2,
        segment_seq: 1,
        segment_digest: expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
        sealed: true,
        receipt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        dense_dim: 0,
        dense_vectors: 0,
        dense_queued: 0,
        capability: 'lexical',
        code: 'INGESTED',
        max_text_bytes: MIB,
        max_texts: 256,
        max_total_text_bytes: 8 * MIB,
      },
    ]);
    const found = await call('POST', '/v1/retrieve', { tenantId, query: 'egrets' });
    expect(JSON.stringify(found.body)).toContain('Egrets are white herons.');
    const listed = await call('GET', '/v1/documents?corpusId=birds');
    expect(listed.body.documents).toHaveLength(2);
  });

  it('replaces a document that changed, and leaves one that did not', async () => {
    await ingest([document('a'), document('b')], { corpus_id: 'changes' });
    const { body } = await ingest([document('a'), document('b', 'Something else.')], { corpus_id: 'changes' });
    expect(body).toMatchObject({ ingested: 1, code: 'INGESTED' });
    expect(body.documents).toMatchObject([
      { doc_id: 'a', version: 1, status: 'unchanged', chunk_count: 1 },
      { doc_id: 'b', version: 2, status: 'ingested' },
    ]);
    expect((await ingest([document('a')], { corpus_id: 'changes' })).body).toMatchObject({
      ingested: 0,
      code: 'UNCHANGED',
      sealed: true,
    });
  });

  it('seals what came in as docs/formats/segments.md says, and receipts it', async () => {
    const tenant_id = 'sealed';
    const { body } = await ingest([document('one'), document('two')], { tenant_id, semantic_profile: 'lexical' });
    const [segment] = await segmentsOf(tenant_id);
    expect(blake3Digest(segment!.frames)).toBe(body.segment_digest);
    const [header, ...frames] = readSegment(segment!.frames);
    expect(header).toEqual({
      v: 1,
      tenant_id,
      corpus_id: 'birds',
      segment_seq: 1,
      semantic_profile: 'lexical',
      sealed_at: expect.stringMatching(/^\d{4}-.*Z$/),
      frame_count: 2,
    });
    expect(frames[1]).toEqual({
      ordinal: 1,
      doc_id: 'two',
      version: 1,
      title: 'About two',
      url: null,
      content_type: null,
      text: 'The text of two, with facts about herons.',
      content_hash: blake3Digest('The text of two, with facts about herons.'),
    });
    const receipt = await daemon.app
      .get(Tenancy)
      .run(tenant_id, () => daemon.app.get(EvidenceService).read(body.receipt_id as string));
    expect(receipt.payload).toMatchObject({
      kind: 'local.ingested',
      subject: 'segment:1',
      body: { segment_digest: body.segment_digest, frame_count: 2, documents: [{ doc_id: 'one' }, { doc_id: 'two' }] },
    });
  });

  it('numbers the segments of each tenant without gaps, however many calls come at once to two processes', async () => {
    const second = await startDaemon({ database: daemon.database });
    try {
      const calls = Array.from({ length: 8 }, (_, n) => [n % 2 === 0 ? 'left' : 'right', n] as const);
      const answers = await Promise.all(
        calls.map(async ([tenant_id, n]) => {
          const call = n % 4 < 2 ? daemon.call : second.call;
          const body = {
            tenant_id,
            corpus_id: 'birds',
            documents: [document(`d${n}`), document('shared', `Text ${n}.`)],
          };
          return { tenant_id, answer: await call('POST', '/v1/local/ingest', body) };
        }),
      );
      expect(answers.map(({ answer }) => answer.status)).toEqual(Array<number>(8).fill(200));
      for (const tenant of ['left', 'right'])
        expect(
          answers
            .filter(({ tenant_id }) => tenant_id === tenant)
            .map(({ answer }) => answer.body.segment_seq as number)
            .sort(),
        ).toEqual([1, 2, 3, 4]);
    } finally {
      await second.close();
    }
  });

  it('says which cap was hit, and all three', async () => {
    const caps = { max_text_bytes: MIB, max_texts: 256, max_total_text_bytes: 8 * MIB };
    const many = Array.from({ length: 257 }, (_, n) => document(`d${n}`));
    const long = [document('a'), document('b', 'ü'.repeat(MIB / 2 + 1))];
    const heavy = Array.from({ length: 9 }, (_, n) => document(`d${n}`, 'word '.repeat(MIB / 5)));
    for (const [documents, exceeded] of [
      [many, 'max_texts'],
      [long, 'max_text_bytes'],
      [heavy, 'max_total_text_bytes'],
    ] as const) {
      const { status, body } = await ingest(documents, { tenant_id: 'capped' });
      expect([status, body]).toEqual([413, expect.objectContaining({ ...caps, exceeded })]);
      expect(body.type).toBe('urn:svc:errors/local-ingest-too-large');
    }
    const past = await ingest([document('a', 'x'.repeat(17 * MIB))], { tenant_id: 'capped' });
    expect([past.status, past.body]).toEqual([413, expect.objectContaining(caps)]);
    expect(await segmentsOf('capped')).toEqual([]);
  });

  it('takes texts as large as the caps', async () => {
    const documents = Array.from({ length: 8 }, (_, n) =>
      document(`d${n}`, 'herons '.repeat(MIB / 7).padEnd(MIB, '.')),
    );
    expect((await ingest(documents, { tenant_id: 'large' })).body).toMatchObject({ ingested: 8, segment_seq: 1 });
  });

  it.each([
    ['a blank text', [document('a'), document('b', ' \n')], { doc_id: 'b', index: 1 }],
    ['an empty text', [document('a', '')], { doc_id: 'a', index: 0 }],
    ['a page that shows nothing', [{ ...document('a', '<html><script>1</script></html>') }], { doc_id: 'a' }],
    ['a doc_id twice', [document('a'), document('b'), document('a')], { doc_id: 'a', index: 2 }],
  ])('answers 422 to %s, and takes nothing in', async (_, documents, facts) => {
    const { status, body } = await ingest(documents, { tenant_id: 'refused' });
    expect([status, body]).toEqual([422, expect.objectContaining(facts)]);
    expect(await segmentsOf('refused')).toEqual([]);
    expect(await daemon.database.query(`select from document where tenant_id = 'refused'`)).toEqual([]);
    expect(await daemon.database.query(`select from receipt where tenant_id = 'refused'`)).toEqual([]);
  });

  it.each([
    ['no tenant', { tenant_id: undefined }, 'body.tenant_id'],
    ['no corpus', { corpus_id: undefined }, 'body.corpus_id'],
    ['a corpus of many bytes', { corpus_id: '€'.repeat(400) }, 'body.corpus_id'],
    ['no documents', { documents: [] }, 'body.documents'],
    ['a document that is none', { documents: ['x'] }, 'body.documents[0]'],
    ['a document without text', { documents: [{ doc_id: 'a', title: 'A' }] }, 'body.documents[0].text'],
    ['a document without title', { documents: [{ doc_id: 'a', text: 'x' }] }, 'body.documents[0].title'],
    ['an unknown member', { documents: [{ ...document('a'), content: 'x' }] }, 'body.documents[0].content'],
    ['a bad address', { documents: [{ ...document('a'), url: 'nowhere' }] }, 'body.documents[0].url'],
    [
      'a language nobody knows',
      { documents: [{ ...document('a'), language: 'elvish' }] },
      'body.documents[0].language',
    ],
    [
      'a language in the metadata',
      { documents: [{ ...document('a'), metadata: { language: 'german' } }] },
      'body.documents[0].metadata.language',
    ],
    ['an empty profile', { semantic_profile: '' }, 'body.semantic_profile'],
    ['vectors without an endpoint', { semantic_profile: 'hybrid' }, 'body.semantic_profile'],
  ])('refuses %s with 400 and names it', async (_, members, path) => {
    const { status, body } = await ingest([document('a')], members);
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
  });

  it.each(['application/pdf', 'text/x-markdown', 'text/plainer', 'text', 'markdown', ';charset=utf-8', ''])(
    'refuses the content type %j and names the three',
    async (content_type) => {
      const { status, body } = await ingest([{ ...document('a'), content_type }]);
      expect([status, body.issues]).toEqual([
        400,
        [
          {
            path: 'body.documents[0].content_type',
            message:
              'content_type must be one of text/plain, text/markdown, text/html; parameters such as charset may follow',
          },
        ],
      ]);
    },
  );

  it.each(['text/html', 'Text/HTML; charset=UTF-8', 'text/html ;level=1'])(
    'takes the content type %j',
    async (type) => {
      const { body } = await ingest([{ ...document('page', '<p>Terns.</p>'), content_type: type }], {
        tenant_id: api.tenant.tenantId,
        corpus_id: type,
      });
      expect(body.ingested).toBe(1);
      const found = await api.tenant.call('POST', '/v1/retrieve', { query: 'terns', corpusIds: [type] });
      expect(JSON.stringify(found.body.results)).toMatch(/"Terns\."/);
    },
  );

  it('refuses a profile of its own words and names those there are', async () => {
    const { status, body } = await ingest([document('a')], { semantic_profile: 'field-notes' });
    expect([status, body.issues]).toEqual([
      400,
      [
        {
          path: 'body.semantic_profile',
          message: 'semantic_profile must be one of the following values: default, lexical, hybrid',
        },
      ],
    ]);
  });

  it('refuses another language than the corpus has', async () => {
    await ingest([document('a')], { corpus_id: 'english-only' });
    const { status, body } = await ingest([{ ...document('b'), language: 'german' }], { corpus_id: 'english-only' });
    expect([status, body]).toEqual([409, expect.objectContaining({ language: 'english' })]);
  });

  it('takes admin:write alone', async () => {
    const { status, body } = await daemon.as({ scopes: 'facts:write' })('POST', '/v1/local/ingest', {});
    expect([status, body.missingAnyScope]).toEqual([403, ['admin:write']]);
    expect((await send(daemon.url, 'POST', '/v1/local/ingest', {})).status).toBe(401);
  });

  it('is not there with its flag off', async () => {
    const off = await startDaemon({ database: daemon.database, env: { SVCD_LOCAL_INGEST: '0' } });
    try {
      const { status, body } = await off.call('POST', '/v1/local/ingest', {});
      expect([status, body.flag]).toEqual([404, 'SVCD_LOCAL_INGEST']);
    } finally {
      await off.close();
    }
  });

  it('answers 408 to a caller that waits too long for its turn, and does nothing of it later', async () => {
    const holder = new Client({ connectionString: daemon.database.superuserUrl });
    await holder.connect();
    try {
      await holder.query(`begin; select pg_advisory_xact_lock(${ADVISORY_LOCKS.sealing})`);
      const late = [1, 2].map((n) => ingest([document(`late${n}`)], { tenant_id: 'late' }));
      // A transaction that has written, as here the row of the new tenant, holds back the events of all while it waits.
      await expect
        .poll(async () => (await holder.query(WAITING)).rows, { timeout: 20_000 })
        .toEqual([{ wrote: false }]);
      const answers = await Promise.all(late);
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [408, 'REQUEST_TIMEOUT'],
        [408, 'REQUEST_TIMEOUT'],
      ]);
    } finally {
      await holder.end();
    }
    const next = await ingest([document('next')], { tenant_id: 'late' });
    expect([next.status, next.body.segment_seq]).toEqual([200, 1]);
    expect(await daemon.database.query(`select doc_id from document where tenant_id = 'late'`)).toEqual([
      { doc_id: 'next' },
    ]);
  }, 120_000);

  it('finds segments whose bytes, digest or receipt are not what was sealed', async () => {
    // One of its own: the daemon goes on with its rounds meanwhile.
    const check = new SegmentCheck(daemon.app.get(CrossTenant));
    const round = async () => {
      const corrupt: string[] = [];
      for (;;) {
        const step = await check.step();
        corrupt.push(...step.corrupt);
        if (step.endedRound) return corrupt;
      }
    };
    expect(await round()).toEqual([]);
    for (let n = 0; n < 4; n += 1) await ingest([document(`d${n}`)], { tenant_id: 'rotten' });
    const owner = new Client({ connectionString: daemon.database.superuserUrl });
    await owner.connect();
    await owner.query(`
      update sealed_segment set frames = set_byte(frames, 60, 1 + get_byte(frames, 60) % 200) where tenant_id = 'rotten' and segment_seq = 2;
      update sealed_segment s set frames = o.frames, digest = o.digest from sealed_segment o
        where s.tenant_id = 'rotten' and s.segment_seq = 3 and o.tenant_id = 'rotten' and o.segment_seq = 1;
      update sealed_segment set receipt_id = gen_random_uuid() where tenant_id = 'rotten' and segment_seq = 4;
    `);
    await owner.end();
    expect(await round()).toEqual(['rotten/2', 'rotten/3', 'rotten/4']);
  });
});
