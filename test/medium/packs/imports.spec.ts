import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { contentOf, fact, hashOf, type Pack, PackMaker, packOf } from './given.js';

const MIB = 1024 * 1024;
const maker = new PackMaker();
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVC_MEMORY_IMPORT: '1', SVCD_FEATURE_LEGAL_HOLD: '1', SVCD_OBSERVE: '1' } });
});
afterAll(() => daemon.close());

const ADMIN = 'admin:read admin:write facts:read facts:write query:read exports:read receipts:read';
const as = (tenant: string, scopes = ADMIN, passport = 'ada') => daemon.as({ tenant, scopes, passport });
const importing = (tenant: string, pack: unknown, more: object = {}, call = as(tenant)): Promise<Answer> =>
  call('POST', '/v1/memory/import', { tenant_id: tenant, pack, ...more });
const exporting = async (tenant: string): Promise<Pack> => {
  const { status, body } = await as(tenant)('POST', '/v1/memory/export', { tenant_id: tenant });
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { pack: Pack }).pack;
};
/** Rows of what an import may write, by table. */
const rowsOf = async (tenant: string): Promise<Record<string, number>> => {
  const tables = [
    'fact',
    'graph_entity_version',
    'graph_edge',
    'relation',
    'observe_step',
    'memory_case',
    'candidate',
    'outbox_event',
    'receipt',
  ];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await daemon.database.query<{ n: string }>(
      `select count(*) as n from ${table} where tenant_id = $1`,
      [tenant],
    );
    counts[table] = Number(row!.n);
  }
  return counts;
};
const listOf = async (tenant: string, scopes = ADMIN, passport = 'ada') =>
  ((await as(tenant, scopes, passport)('GET', '/v1/facts/list')).body as { facts: Record<string, unknown>[] }).facts;

const PACK = packOf({
  created_at: '2026-01-01T00:00:00Z',
  source: { product: 'other', version: '1' },
  principals: ['passport:old'],
  facts: [
    fact({ value: 'Paris', valid_from: '2020-01-01T00:00:00Z', confidence: 0.5 }),
    fact({ value: 'London', valid_from: '2024-01-01T00:00:00Z' }),
    fact({ key: 'diary', value: 'mine', private: true, owner: 'passport:old', valid_from: '2021-01-01T00:00:00Z' }),
  ],
  sessions: [
    {
      ...{ session_id: 's-1', opened_by: 'passport:old', opened_at: '2026-01-01T00:00:00Z' },
      steps: [
        step('root', null, { kind: 'plan' }),
        step('leaf', 'root', {
          private: true,
          outputs: [{ kind: 'text', ref: null, digest: null, text: 'done', bytes: 4 }],
        }),
      ],
    },
  ],
  entities: [{ kind: 'person', id: 'ada', payload: { name: 'Ada', born: 1815 } }],
  edges: [{ from_kind: 'person', from_id: 'ada', edge_kind: 'wrote', to_kind: 'note', to_id: 'g', payload: null }],
  relations: [
    { from_id: 1, to_id: 2, edge_type: 'cites', confidence: 0.5, created_at_micros: 5, updated_at_micros: 7 },
  ],
  engrams: [{ name: 'greet', payload: { content: 'Say hello.' } }],
  cases: [
    {
      ...{
        case_id: '0199aaaa-0000-7000-8000-000000000001',
        task: 'Book a flight',
        action: 'Asked the agent',
        outcome: 'Booked',
      },
      ...{ context: '', lesson: null, success: true, reward: 0.5, tags: ['travel'], recorded_by: 'passport:old' },
      created_at: '2026-01-01T00:00:00Z',
    },
  ],
  candidates: [
    {
      ...{
        candidate_id: '0199aaaa-0000-7000-8000-000000000002',
        entity: 'user:ada',
        key: 'likes',
        value: 'tea',
        confidence: 0.5,
      },
      ...{ profile: 'default', extractor: { name: 'patterns', version: '1' }, resolution: 'new', session_id: 's-1' },
      evidence: [
        { source_kind: 'text', source_id: 'x', start: 0, end: 8, quote: 'likes tea', quote_blake3: 'blake3:00' },
      ],
      ...{ session_date: '2026-01-01', created_by: 'passport:old', created_at: '2026-01-01T00:00:00Z' },
    },
  ],
});

function step(node_id: string, parent_id: string | null, members: object = {}): object {
  return {
    ...{
      node_id,
      parent_id,
      label: 'Look it up',
      actor: 'passport:old',
      kind: 'tool',
      risk_class: 'minimal',
      status: 'ok',
      private: false,
    },
    ...{
      owner: 'passport:old',
      ts_start: '2026-01-01T00:00:00Z',
      ts_end: '2026-01-01T00:00:01Z',
      inputs: [],
      ...members,
    },
  };
}

describe('POST /v1/memory/import', () => {
  it('stores everything once, and says what it did', async () => {
    const { status, body } = await importing('t-all', PACK);
    expect([status, body]).toEqual([
      200,
      {
        ...{ ok: true, dry_run: false, pack_hash: await hashOf(PACK), pack_passport_fpr: null, signature: 'absent' },
        ...{
          imported_facts: 3,
          collisions_superseded: 0,
          skipped_duplicate_facts: 0,
          private_facts: 1,
          screened: 0,
          screened_at: [],
        },
        ...{ imported_sessions: 1, skipped_sessions: 0, receipt_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        lists: expect.objectContaining({
          facts: { imported: 3, superseded: 0, skipped: 0 },
          entities: { imported: 1, superseded: 0, skipped: 0 },
          relations: { imported: 1, superseded: 0, skipped: 0 },
          engrams: { imported: 1, superseded: 0, skipped: 0 },
          cases: { imported: 1, superseded: 0, skipped: 0 },
          candidates: { imported: 1, superseded: 0, skipped: 0 },
        }),
      },
    ]);
    const before = await rowsOf('t-all');
    const again = await importing('t-all', PACK);
    expect(again.body).toMatchObject({
      imported_facts: 0,
      skipped_duplicate_facts: 3,
      imported_sessions: 0,
      skipped_sessions: 1,
      receipt_id: null,
    });
    expect(await rowsOf('t-all')).toEqual(before);
  });

  it('leaves one receipt and one event of its own', async () => {
    const { body } = await importing('t-receipt', PACK);
    const { receipt_id, pack_hash } = body as { receipt_id: string; pack_hash: string };
    const receipts = await as('t-receipt')('GET', '/v1/receipts/list?tenant_id=t-receipt');
    expect(JSON.stringify(receipts.body)).toContain(receipt_id);
    const events = await daemon.database.query<{ subject: string }>(
      `select subject from outbox_event where tenant_id = 't-receipt' and kind = 'memory.imported'`,
    );
    expect(events).toEqual([{ subject: pack_hash }]);
  });

  it('counts in a rehearsal exactly what it would do, and stores nothing', async () => {
    await importing('t-dry', packOf({ facts: [fact({ value: 'Rome' }), fact({ key: 'same', value: 'x' })] }));
    const before = await rowsOf('t-dry');
    const pack = packOf({ facts: [fact(), fact({ key: 'same', value: 'x' }), fact({ key: 'new' })] });
    const dry = await importing('t-dry', pack, { dry_run: true });
    expect(dry.body).toMatchObject({
      dry_run: true,
      imported_facts: 2,
      collisions_superseded: 1,
      skipped_duplicate_facts: 1,
      receipt_id: null,
    });
    expect(await rowsOf('t-dry')).toEqual(before);
    const real = await importing('t-dry', pack);
    expect(real.body).toMatchObject({ imported_facts: 2, collisions_superseded: 1, skipped_duplicate_facts: 1 });
  });

  it('keeps the times of facts and their history, with our time of ingest', async () => {
    await importing('t-times', PACK);
    const facts = await listOf('t-times');
    const london = facts.find(({ value }) => value === 'London')!;
    expect(london).toMatchObject({ valid_from: '2024-01-01T00:00:00.000Z', version: 2 });
    expect(Date.now() - Date.parse(london.stored_at as string)).toBeLessThan(60_000);
    const then = await as('t-times')('GET', '/v1/facts?entity=user:ada&as_of=2021-06-01T00:00:00Z');
    expect((then.body as { facts: object[] }).facts).toContainEqual(expect.objectContaining({ value: 'Paris' }));
  });

  it('keeps private facts private, and gives them to whom the map names', async () => {
    await importing('t-private', PACK, { principal_map: { 'passport:old': 'passport:eve' } });
    const seenBy = async (passport: string) =>
      (await listOf('t-private', 'facts:read query:read', passport)).map(({ key }) => key);
    expect(await seenBy('eve')).toContain('diary');
    expect(await seenBy('bob')).not.toContain('diary');
    expect((await exporting('t-private')).principals).toEqual(['passport:eve']);
  });

  it('lets nobody without an admin scope write what is private to others', async () => {
    const writer = as('t-foreign', 'facts:write');
    const refused = await importing('t-foreign', PACK, {}, writer);
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: 'PRINCIPAL_NOT_YOURS', member: 'body.pack.facts[2].owner' },
    ]);
    const mapped = await importing('t-foreign', PACK, { principal_map: { 'passport:old': 'passport:bob' } }, writer);
    expect(mapped.status).toBe(403);
    expect(Object.values(await rowsOf('t-foreign')).every((count) => count === 0)).toBe(true);
    const own = await importing('t-foreign', PACK, { principal_map: { 'passport:old': 'passport:ada' } }, writer);
    expect(own.body).toMatchObject({ private_facts: 1 });
  });

  it('masks secrets before anything is stored', async () => {
    const secret = 'ghp_' + 'a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8';
    const pack = packOf({
      facts: [fact({ value: `the token is ${secret}` }), fact({ key: 'other' })],
      entities: [{ kind: 'note', id: 'n', payload: { deep: [`password = hunter2hunter2`] } }],
      engrams: [{ name: 'deploy', payload: { content: `Use ${secret}.` } }],
      cases: [{ task: 'deploy', action: `sent ${secret}`, outcome: 'done', tags: ['a', secret] }],
    });
    const { body } = await importing('t-secret', pack);
    const places = [
      ['body.pack.facts[0].value', 13],
      ['body.pack.entities[0].payload', 11],
      ['body.pack.engrams[0].payload.content', 4],
      ['body.pack.cases[0].action', 5],
      ['body.pack.cases[0].tags[1]', 0],
    ];
    expect(body).toMatchObject({ screened: 5, imported_facts: 2 });
    expect(body.screened_at.map(({ member, start }: Pack) => [member, start])).toEqual(places);
    expect(body.screened_at[0]).toMatchObject({ kind: expect.stringMatching(/^github/), end: 13 + secret.length });
    const receipt = await as('t-secret')('GET', `/v1/receipts/${body.receipt_id}?tenant_id=t-secret`);
    const kept = Buffer.from(receipt.body.payload_base64 as string, 'base64').toString();
    expect(kept).toContain('body.pack.facts[0].value');
    expect(kept).not.toContain('hunter2');
    const cases = (await as('t-secret')('GET', '/v1/cases')).body.cases;
    expect(cases[0].screened.map(({ member }: Pack) => member)).toEqual(['action', 'tags[1]']);
    const engram = (await as('t-secret')('GET', '/v1/entities/engram/deploy')).body.entity;
    expect(engram.payload.screened).toMatchObject([{ member: 'content', start: 4 }]);
    const text = JSON.stringify(await exporting('t-secret'));
    expect(text).not.toContain(secret);
    expect(text).not.toContain('hunter2');
    expect((await importing('t-secret', pack)).body).toMatchObject({ imported_facts: 0, receipt_id: null });
    const exported = await exporting('t-secret');
    await importing('t-secret-2', exported);
    expect(contentOf(await exporting('t-secret-2'))).toEqual(contentOf(exported));
    expect(JSON.stringify(exported.engrams)).toContain('"start":4');
  });

  it('takes a case without success and reward as POST /v1/cases does', async () => {
    const one = { task: 'walk', action: 'walked', outcome: 'there' };
    const { status } = await importing('t-case', packOf({ cases: [one, { ...one, task: 'run', success: false }] }));
    expect(status).toBe(200);
    const { cases } = (await as('t-case')('GET', '/v1/cases')).body;
    const results = cases.map(({ task, success, reward }: Pack) => [task, success, reward]);
    expect(results.toSorted()).toEqual([
      ['run', false, 0],
      ['walk', true, 1],
    ]);
  });
});

describe('engrams of a pack', () => {
  const say = (content: string) => ({ content, enabled: true, generated_class: 'authored' });
  const put = (tenant: string, name: string, payload: unknown) =>
    as(tenant)('PUT', `/v1/entities/engram/${name}`, { payload });
  const label = (tenant: string, name: string, at: string, version: number) =>
    as(tenant)('PUT', `/v1/engrams/${name}/labels/${at}`, { version });
  const labelsOf = async (tenant: string, name: string) =>
    ((await as(tenant)('GET', `/v1/engrams/${name}`)).body.labels as Pack[]).map((one) => [
      one.label,
      one.engram_version,
    ]);

  it('have their versions in order and their labels, there and back', async () => {
    await put('e-from', 'greet', say('one'));
    await put('e-from', 'greet', say('two'));
    await as('e-from')('DELETE', '/v1/entities/engram/greet');
    await put('e-from', 'greet', say('one'));
    await put('e-from', 'alone', say('only'));
    expect((await label('e-from', 'greet', 'stable', 2)).status).toBe(200);
    expect((await label('e-from', 'greet', 'next', 4)).status).toBe(200);
    const first = await exporting('e-from');
    expect([first.revision, first.engrams]).toEqual([
      2,
      [
        { name: 'alone', payload: say('only') },
        {
          ...{ name: 'greet', payload: say('one'), labels: ['next'] },
          earlier: [{ payload: say('one') }, { payload: say('two'), labels: ['stable'] }],
        },
      ],
    ]);
    const before = await rowsOf('e-to');
    const lists = { engrams: { imported: 2 }, engram_labels: { imported: 2, superseded: 0, skipped: 0 } };
    expect((await importing('e-to', first, { dry_run: true })).body).toMatchObject({ lists });
    expect(await rowsOf('e-to')).toEqual(before);
    expect((await importing('e-to', first)).body).toMatchObject({ lists });
    expect(await labelsOf('e-to', 'greet')).toEqual([
      ['next', 3],
      ['stable', 2],
    ]);
    expect(contentOf(await exporting('e-to'))).toEqual(contentOf(first));
    const again = await importing('e-to', first);
    expect(again.body).toMatchObject({ receipt_id: null, lists: { engram_labels: { imported: 0, skipped: 2 } } });
  });

  it('move a label with the receipt that a move has', async () => {
    await put('e-move', 'greet', say('one'));
    await label('e-move', 'greet', 'stable', 1);
    const pack = packOf({
      engrams: [{ name: 'greet', payload: say('two'), labels: ['stable'], earlier: [{ payload: say('one') }] }],
    });
    const { body } = await importing('e-move', pack);
    expect(body.lists).toMatchObject({ engrams: { superseded: 1 }, engram_labels: { imported: 1, superseded: 1 } });
    expect(await labelsOf('e-move', 'greet')).toEqual([['stable', 2]]);
    const events = await daemon.database.query<{ data: Pack }>(
      `select data from outbox_event where tenant_id = 'e-move' and kind = 'engram.labelled' order by position`,
    );
    expect(events.map(({ data }) => [data.former, data.engramVersion])).toEqual([
      [null, 1],
      [1, 2],
    ]);
  });

  it('of several imports at once are stored once', async () => {
    const pack = packOf({
      engrams: [{ name: 'greet', payload: say('b'), labels: ['x'], earlier: [{ payload: say('a') }] }],
    });
    await Promise.all(Array.from({ length: 4 }, () => importing('e-race', pack)));
    const { body } = await as('e-race')('GET', '/v1/engrams/greet/versions');
    expect(body.versions.map(({ content }: Pack) => content)).toEqual(['b', 'a']);
  });

  it.each([
    ['a payload that is none', { payload: { text: 'x' } }, 'body.pack.engrams[0].payload.content'],
    ['a member there is not', { payload: { ...say('x'), colour: 1 } }, 'body.pack.engrams[0].payload.colour'],
    ['a name that is none', { name: 'A B', payload: say('x') }, 'body.pack.engrams[0].name'],
    [
      'an earlier one that is none',
      { payload: say('x'), earlier: [{ payload: 7 }] },
      'body.pack.engrams[0].earlier[0].payload',
    ],
    ['the label latest', { payload: say('x'), labels: ['latest'] }, 'body.pack.engrams[0].labels[0]'],
    [
      'a label at two versions',
      { payload: say('x'), labels: ['a'], earlier: [{ payload: say('y'), labels: ['a'] }] },
      'body.pack.engrams[0].labels[0]',
    ],
  ])('with %s are refused', async (_what, engram, named) => {
    const { status, body } = await importing('e-bad', packOf({ engrams: [{ name: 'greet', ...engram }] }));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(named);
    expect((await rowsOf('e-bad')).graph_entity_version).toBe(0);
  });

  it('of a revision that there is not are refused', async () => {
    const { status, body } = await importing('e-bad', packOf({ revision: 3 }));
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('body.pack.revision')]);
  });
});

describe('an export', () => {
  it('imported elsewhere and exported again is the same pack', async () => {
    await importing('t-from', PACK);
    await as('t-from')('PUT', '/v1/facts', { entity: 'user:bob', key: 'city', value: 'Oslo' });
    await as('t-from')('PUT', '/v1/facts', { entity: 'user:bob', key: 'city', value: 'Oslo', confidence: 0.25 });
    await as('t-from')('PUT', '/v1/facts', {
      entity: 'user:bob',
      key: 'city',
      value: 'Rome',
      valid_to: '2020-01-01T00:00:00Z',
    });
    await as('t-from')('PUT', '/v1/facts', { entity: 'user:bob', key: 'note', value: 'private', private: true });
    const payload = { large: 1e300, digits: 2 ** 60, list: JSON.parse('['.repeat(30) + ']'.repeat(30)) as unknown };
    expect((await as('t-from')('PUT', '/v1/entities/project/any', { payload })).status).toBe(200);
    const first = await exporting('t-from');
    const { status, body } = await importing('t-to', first);
    expect([status, body]).toMatchObject([
      200,
      { signature: 'verified', pack_hash: await hashOf(first), pack_passport_fpr: first.passport_fpr },
    ]);
    const second = await exporting('t-to');
    expect(contentOf(second)).toEqual(contentOf(first));
    expect((await importing('t-from', second)).body).toMatchObject({ receipt_id: null, imported_facts: 0 });
  });

  it('has nothing of another tenant, of reserved names, of what is deleted', async () => {
    await importing('t-mine', packOf({ facts: [fact()] }));
    await as('t-mine')('PUT', '/v1/facts', { entity: 'layer:x', key: 'k', value: 'reserved' });
    const { body } = await as('t-mine')('PUT', '/v1/facts', { entity: 'gone', key: 'k', value: 'deleted' });
    await as('t-mine')('DELETE', `/v1/facts/${(body as { fact_id: string }).fact_id}`);
    expect((await exporting('t-mine')).facts).toEqual([expect.objectContaining({ value: 'London' })]);
    expect((await exporting('t-empty')).facts).toEqual([]);
  });

  it('needs both scopes, and a tenant of the caller', async () => {
    const by = (scopes: string) => as('t-mine', scopes)('POST', '/v1/memory/export', { tenant_id: 't-mine' });
    expect((await by('admin:read')).status).toBe(403);
    expect((await by('exports:read')).status).toBe(403);
  });
});

describe('a pack that is refused', () => {
  const other = new PackMaker();
  const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });
  const REFUSED: [string, () => unknown, number, string][] = [
    ['of another schema', () => ({ ...PACK, schema: 'svc.pack/2' }), 400, 'body.pack.schema'],
    ['without a schema', () => ({ facts: [] }), 400, 'body.pack.schema'],
    ['with an unknown member', () => packOf({ memories: [] }), 400, 'body.pack.memories'],
    ['that is a list', () => [], 400, 'body.pack'],
    [
      'with a reserved name',
      () => packOf({ facts: [fact(), fact({ entity: 'storybook:x' })] }),
      400,
      'body.pack.facts[1].entity',
    ],
    [
      'with a reserved name of ours',
      () => packOf({ facts: [fact({ entity: '__x' })] }),
      400,
      'body.pack.facts[0].entity',
    ],
    [
      'with an entity twice',
      () => packOf({ entities: [1, 2].map((payload) => ({ kind: 'a', id: 'b', payload })) }),
      400,
      'body.pack.entities[1]',
    ],
    [
      'with a session twice',
      () =>
        packOf({
          sessions: [1, 2].map(() => ({ session_id: 's', opened_by: 'x', opened_at: '2026-01-01T00:00:00Z' })),
        }),
      400,
      'body.pack.sessions[1].session_id',
    ],
    [
      'with a step before its parent',
      () =>
        packOf({
          sessions: [{ session_id: 's', opened_by: 'x', opened_at: '2026-01-01T00:00:00Z', steps: [step('a', 'b')] }],
        }),
      400,
      'body.pack.sessions[0].steps[0].parent_id',
    ],
    [
      'with values of one key without times',
      () => packOf({ facts: [fact(), fact({ value: 'Rome' })] }),
      400,
      'body.pack.facts[0].valid_from',
    ],
    [
      'with a principal that it does not list',
      () => packOf({ facts: [fact({ private: true, owner: 'passport:x' })] }),
      400,
      'body.pack.facts[0].owner',
    ],
    ['with a fact that is none', () => packOf({ facts: [fact(), 7] }), 400, 'body.pack.facts[1]'],
    [
      'with a fact without a value',
      () => packOf({ facts: [{ entity: 'a', key: 'b' }] }),
      400,
      'body.pack.facts[0].value',
    ],
    [
      'with a number that lost digits',
      () => packOf({ relations: [{ from_id: 1, to_id: 2, edge_type: 'e', created_at_micros: 2 ** 60 }] }),
      400,
      'body.pack.relations[0].created_at_micros',
    ],
    [
      'that is nested too deep',
      () => packOf({ entities: [{ kind: 'a', id: 'b', payload: deep(40) }] }),
      400,
      'body.pack',
    ],
    [
      'with a receipt that is not ours',
      () => packOf({ facts: [fact({ source_receipt: '00000000-0000-4000-8000-000000000000' })] }),
      400,
      'body.pack.facts[0].source_receipt',
    ],
    [
      'with an engram among the entities',
      () => packOf({ entities: [{ kind: 'engram', id: 'b', payload: 1 }] }),
      400,
      'body.pack.entities[0].kind',
    ],
    ['changed after it was signed', () => ({ ...maker.sign(PACK), facts: [] }), 403, 'signature_invalid'],
    [
      'signed by another key',
      () => ({ ...maker.sign(PACK), signature: other.sign(PACK).signature }),
      403,
      'fingerprint_mismatch',
    ],
    [
      'with half a signature',
      () => ({ ...maker.sign(PACK), signature: { algorithm: 'Ed25519' } }),
      403,
      'malformed_signature',
    ],
  ];

  it.each(REFUSED)('%s', async (_what, make, status, named) => {
    const answer = await importing('t-refused', make());
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(named);
    expect((await rowsOf('t-refused')).fact).toBe(0);
  });

  it('signed as it should be is taken', async () => {
    const { body } = await importing('t-signed', maker.sign(PACK));
    expect(body).toMatchObject({ signature: 'verified', pack_passport_fpr: maker.fingerprint, imported_facts: 3 });
  });

  it('larger than 64 MiB is 413; 17 MiB are taken', async () => {
    const large = (bytes: number) =>
      packOf({
        entities: Array.from({ length: Math.ceil(bytes / 200_000) }, (_, n) => ({
          kind: 'blob',
          id: `${n}`,
          payload: 'x'.repeat(200_000),
        })),
      });
    expect((await importing('t-large', large(65 * MIB))).status).toBe(413);
    expect((await importing('t-large', large(17 * MIB))).body).toMatchObject({ ok: true });
  }, 120_000);
});

describe('who may import', () => {
  it.each(['facts:write', 'admin:write'])('%s alone', async (scopes) => {
    expect((await importing('t-scope', packOf(), {}, as('t-scope', scopes))).status).toBe(200);
  });

  it('nobody else, and not into another tenant', async () => {
    expect((await importing('t-scope', packOf(), {}, as('t-scope', 'facts:read exports:read'))).status).toBe(403);
    expect((await importing('t-scope', packOf(), {}, as('t-else', 'facts:write'))).status).toBe(403);
  });

  it('nobody while the flag is off', async () => {
    const off = await startDaemon({ database: daemon.database });
    try {
      expect((await off.call('POST', '/v1/memory/import', { tenant_id: 'default', pack: packOf() })).status).toBe(404);
    } finally {
      await off.close();
    }
  });
});

describe('imports that meet', () => {
  it('of the same pack store it once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => importing('t-race', PACK)));
    const stored = answers.map(({ body }) => (body as { imported_facts: number }).imported_facts);
    expect(stored.toSorted()).toEqual([0, 0, 0, 3]);
  });

  it('with a hold supersede as PUT /v1/facts does: the version before stays', async () => {
    await importing('t-hold', packOf({ facts: [fact({ value: 'Rome' })] }));
    const hold = await as('t-hold')('POST', '/v1/legal-holds', {
      tenant_id: 't-hold',
      reason: 'case',
      entity_prefixes: ['user:'],
    });
    const put = await as('t-hold')('PUT', '/v1/facts', { ...fact({ key: 'put' }) });
    expect([hold.status, put.status].map((status) => Math.floor(status / 100))).toEqual([2, 2]);
    const { body } = await importing('t-hold', packOf({ facts: [fact()] }));
    expect(body).toMatchObject({ collisions_superseded: 1 });
    const rows = await daemon.database.query(
      `select value from fact where tenant_id = 't-hold' and key = 'city' order by version`,
    );
    expect(rows).toEqual([{ value: 'Rome' }, { value: 'London' }]);
  });
});
