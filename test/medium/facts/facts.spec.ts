import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const READ_AND_WRITE = 'query:read facts:write';
const UNKNOWN = '0198f2c4-7d3e-7abc-8def-0123456789ab';

let daemon: TestDaemon;
let ada: DaemonCall;
let bob: DaemonCall;
let admin: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ada = daemon.as({ scopes: READ_AND_WRITE, passport: 'ada', tenant: 't' });
  bob = daemon.as({ scopes: READ_AND_WRITE, passport: 'bob', tenant: 't' });
  admin = daemon.as({ scopes: 'admin:read admin:write', passport: 'root', tenant: 't' });
}, 60_000);
afterAll(() => daemon.close());

const fact = (entity: string, key: string, value: string, also: object = {}) => ({ entity, key, value, ...also });
const valuesOf = ({ body }: { body: { facts: { value: string }[] } }) => body.facts.map(({ value }) => value);
const entityOf = (call: DaemonCall, entity: string) => call('GET', `/v1/facts/entity/${encodeURIComponent(entity)}`);

describe('PUT /v1/facts', () => {
  it('answers 201 with the record, whose other members are what was meant by leaving them out', async () => {
    const { status, body } = await ada('PUT', '/v1/facts', fact('user:1', 'city', 'London'));
    expect(status).toBe(201);
    expect(body).toEqual({
      fact_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      entity: 'user:1',
      key: 'city',
      value: 'London',
      actor: 'ada',
      written_by: 'passport:ada',
      confidence: 1,
      horizon_class: 'durable',
      tokens: 1,
      version: 1,
      stored_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      private: false,
      receipt_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-/) as string,
    });
    expect((await bob('GET', `/v1/facts/${body.fact_id}`)).body).toEqual(body);
  });

  it('names what it superseded, by its beginning', async () => {
    const long = 'é'.repeat(201);
    const first = (await ada('PUT', '/v1/facts', fact('replaced', 'k', long))).body;
    expect(first.replaces).toBeUndefined();
    const second = (await bob('PUT', '/v1/facts', fact('replaced', 'k', 'short'))).body;
    const { fact_id, version, stored_at } = first;
    const replaced = { fact_id, value: long.slice(1), value_truncated: true, version, stored_at };
    expect(second.replaces).toEqual(replaced);
    const { body } = await ada('PUT', '/v1/facts/bulk', [fact('replaced', 'k', 'a'), fact('replaced', 'k', 'b')]);
    const named = body.facts.map(({ replaces }: { replaces: { value: string } }) => replaces.value);
    expect(named).toEqual(['short', 'a']);
    await ada('DELETE', `/v1/facts/${body.facts[1].fact_id}`);
    expect((await ada('PUT', '/v1/facts', fact('replaced', 'k', 'again'))).body.replaces).toBeUndefined();
  });

  it('stores nothing where not the expected fact is current', async () => {
    const store = (value: string, expected_fact_id?: string, call = ada) =>
      call('PUT', '/v1/facts', fact('expected', 'k', value, { expected_fact_id }));
    const none = await store('one', UNKNOWN);
    expect([none.status, none.body.type]).toEqual([409, 'urn:svc:errors/fact-not-current']);
    expect(none.body).toMatchObject({ fact_id: UNKNOWN, current_fact_id: null, current: null });
    const one = (await store('one')).body;
    expect((await store('two', one.fact_id)).body).toMatchObject({ version: 2, replaces: { value: 'one' } });
    const late = await store('three', one.fact_id);
    const current = { value: 'two', version: 2 };
    expect([late.status, late.body]).toMatchObject([409, { fact_id: one.fact_id, current }]);
    expect((await store('three', late.body.current_fact_id)).status).toBe(201);
    const list = [fact('expected', 'other', 'v'), fact('expected', 'k', 'v', { expected_fact_id: one.fact_id })];
    expect((await ada('PUT', '/v1/facts/bulk', list)).status).toBe(409);
    expect(valuesOf(await entityOf(ada, 'expected'))).toEqual(['three']);
  });

  it('lets one of many at once through that expect the same fact, and all others', async () => {
    const { fact_id } = (await ada('PUT', '/v1/facts', fact('raced', 'k', 'start'))).body;
    const raced = Array.from({ length: 20 }, (_, n) =>
      ada('PUT', '/v1/facts', fact('raced', 'k', `${n}`, { expected_fact_id: fact_id })),
    );
    const others = Array.from({ length: 20 }, (_, n) => ada('PUT', '/v1/facts', fact('raced', `o${n}`, 'v')));
    const statuses = (await Promise.all(raced)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await Promise.all(others)).every(({ status }) => status === 201)).toBe(true);
  });

  it('keeps everything that is sent', async () => {
    const source = (await ada('PUT', '/v1/facts', fact('user:2', 'source', 'Zürich'))).body.receipt_id as string;
    const sent = fact('user:2', 'city', 'Zürich 🏔', {
      tenant_hash: 'blake3:00',
      source_receipt: source,
      confidence: 0.1,
      private: true,
      horizon_class: 'session',
      actor: 'crawler',
      valid_from: '2026-01-01T00:00:00+01:00',
      valid_to: '2027-01-01T00:00:00Z',
    });
    const { body } = await ada('PUT', '/v1/facts', sent);
    expect(body).toMatchObject({
      ...sent,
      actor_claimed: true,
      written_by: 'passport:ada',
      valid_from: '2025-12-31T23:00:00.000Z',
      valid_to: '2027-01-01T00:00:00.000Z',
    });
    expect((await ada('GET', `/v1/facts/${body.fact_id}`)).body).toEqual(body);
  });

  it('makes a new version of the same entity and key, and says in the old record what retired it', async () => {
    const first = (await ada('PUT', '/v1/facts', fact('user:3', 'city', 'Paris'))).body;
    expect(first).not.toHaveProperty('superseded_by');
    const second = (await bob('PUT', '/v1/facts', fact('user:3', 'city', 'Rome'))).body;
    expect(second.version).toBe(2);
    expect((await ada('GET', `/v1/facts/${first.fact_id}`)).body).toEqual({ ...first, superseded_by: second.fact_id });
    expect(valuesOf(await entityOf(ada, 'user:3'))).toEqual(['Rome']);
    expect(valuesOf(await ada('GET', '/v1/facts?entity=user:3'))).toEqual(['Rome']);
  });

  it('reads a long value back whole by id, and lists its beginning', async () => {
    const value = 'ä long value; '.repeat(20_000);
    const { body } = await ada('PUT', '/v1/facts', fact('long', 'text', value));
    expect((await ada('GET', `/v1/facts/${body.fact_id}`)).body).toEqual({ ...body, value });
    const [listed] = (await ada('GET', '/v1/facts/list?entity_prefix=long')).body.facts;
    expect(listed).toEqual({ ...body, value: value.slice(0, 1024), value_truncated: true });
  });

  it.each([
    ['without an entity', { key: 'k', value: 'v' }, 'body.entity'],
    ['without a key', { entity: 'e', value: 'v' }, 'body.key'],
    ['without a value', { entity: 'e', key: 'k' }, 'body.value'],
    ['with a value that is no text', fact('e', 'k', 1 as never), 'body.value'],
    ['with an empty entity', fact('', 'k', 'v'), 'body.entity'],
    ['with an entity that is too long', fact('e'.repeat(513), 'k', 'v'), 'body.entity'],
    ['with a key that is too long', fact('e', 'k'.repeat(257), 'v'), 'body.key'],
    ['with a value that is too long', fact('e', 'k', 'v'.repeat(1024 * 1024 + 1)), 'body.value'],
    ['with NUL in it', fact('e', 'k', 'a\0b'), 'body.value'],
    ['with half a surrogate pair', fact('e', 'k', '\ud800'), 'body.value'],
    ['with confidence beyond 1', fact('e', 'k', 'v', { confidence: 1.01 }), 'body.confidence'],
    ['with confidence as text', fact('e', 'k', 'v', { confidence: '1' }), 'body.confidence'],
    ['with another horizon', fact('e', 'k', 'v', { horizon_class: 'eternal' }), 'body.horizon_class'],
    ['with private as text', fact('e', 'k', 'v', { private: 'yes' }), 'body.private'],
    ['with a time that is none', fact('e', 'k', 'v', { valid_from: 'yesterday' }), 'body.valid_from'],
    ['with a time in the year 0', fact('e', 'k', 'v', { valid_from: '0001-01-01T00:00:00+14:00' }), 'body.valid_from'],
    ['with a time in the year 10000', fact('e', 'k', 'v', { valid_to: '9999-12-31T23:59:59-12:00' }), 'body.valid_to'],
    [
      'ending before it begins',
      fact('e', 'k', 'v', { valid_from: '2026-01-02T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }),
      'body.valid_to',
    ],
    ['with a member that is none', fact('e', 'k', 'v', { version: 3 }), 'body.version'],
    ['that is a list', [fact('e', 'k', 'v')], 'body'],
  ])('refuses a fact %s with 400 that names the member', async (_what, body, path) => {
    const answer = await ada('PUT', '/v1/facts', body);
    expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([400, path]);
    expect((await entityOf(ada, 'e')).body).toEqual({ facts: [] });
  });

  it('takes the least confidence that a 32-bit float holds, and less as none', async () => {
    for (const [confidence, kept] of [
      [1e-45, 1e-45],
      [1e-60, 0],
      [0.30000001192092896, 0.3],
    ])
      expect((await ada('PUT', '/v1/facts', fact('sure', 'k', 'v', { confidence }))).body.confidence).toBe(kept);
  });

  it('keeps times to the millisecond, as it returns them', async () => {
    const { body } = await ada('PUT', '/v1/facts', {
      ...fact('times', 'k', 'v', {
        valid_from: '2026-01-01T00:00:00.1239999Z',
        valid_to: '9999-12-31T23:59:59.9999999Z',
      }),
    });
    expect([body.valid_from, body.valid_to]).toEqual(['2026-01-01T00:00:00.123Z', '9999-12-31T23:59:59.999Z']);
    expect((await ada('GET', `/v1/facts/${body.fact_id}`)).body).toEqual(body);
  });

  it('takes names of any script and of full length', async () => {
    for (const [entity, key] of [
      ['日'.repeat(512), '🗝'.repeat(128)],
      ['a/b c%?#', ' '],
      ['É', 'é'],
    ] as const) {
      const { body, status } = await ada('PUT', '/v1/facts', fact(entity, key, ''));
      expect([status, body.entity, body.key, body.tokens]).toEqual([201, entity, key, 0]);
      expect((await ada('GET', `/v1/facts?entity=${encodeURIComponent(entity)}`)).body.facts).toEqual([body]);
    }
    expect(valuesOf(await entityOf(ada, 'a/b c%?#'))).toEqual(['']);
  });

  it('needs a scope that writes', async () => {
    const { status, body } = await daemon.as({ scopes: 'query:read' })('PUT', '/v1/facts', fact('e', 'k', 'v'));
    expect([status, body.code, body.missingAnyScope]).toEqual([403, 'MISSING_SCOPE', ['facts:write', 'admin:write']]);
  });
});

describe('PUT /v1/facts/bulk', () => {
  it('stores a list and answers in its order, with versions in that order', async () => {
    const list = [fact('b', 'k', '1'), fact('b', 'other', 'x'), fact('b', 'k', '2'), fact('b', 'k', '3')];
    const { status, body } = await ada('PUT', '/v1/facts/bulk', list);
    expect(status).toBe(201);
    expect(body.facts.map((one: { value: string; version: number }) => [one.value, one.version])).toEqual([
      ['1', 1],
      ['x', 1],
      ['2', 2],
      ['3', 3],
    ]);
    expect(valuesOf(await entityOf(ada, 'b'))).toEqual(['3', 'x']);
    for (const { replaces: _, ...one } of body.facts)
      expect((await ada('GET', `/v1/facts/${one.fact_id}`)).body).toEqual(one);
    expect((await ada('PUT', '/v1/facts/bulk', [])).body).toEqual({ facts: [] });
  });

  it.each([
    ['private: true', [fact('none', 'k', 'v'), fact('none', 'l', 'v', { private: true })], 'body[1].private'],
    ['a member missing', [fact('none', 'k', 'v'), { entity: 'none', key: 'l' }], 'body[1].value'],
    ['something that is no object', [fact('none', 'k', 'v'), 'fact'], 'body[1]'],
    ['no list', fact('none', 'k', 'v'), 'body'],
    ['nothing', undefined, 'body'],
    ['too many', Array.from({ length: 1001 }, () => fact('none', 'k', 'v')), 'body'],
  ])('refuses %s and stores nothing', async (_what, body, path) => {
    const answer = await ada('PUT', '/v1/facts/bulk', body);
    expect([answer.status, answer.body.issues?.[0]?.path]).toEqual([400, path]);
    expect((await entityOf(admin, 'none')).body).toEqual({ facts: [] });
  });
});

describe('private facts', () => {
  it('are seen by the passport that wrote them and by admin scopes alone, and leave public ones as they are', async () => {
    const open = (await bob('PUT', '/v1/facts', fact('p', 'k', 'public'))).body;
    const own = (await ada('PUT', '/v1/facts', fact('p', 'k', 'secret of ada', { private: true }))).body;
    expect([own.private, own.version, own.superseded_by]).toEqual([true, 1, undefined]);
    expect((await bob('GET', `/v1/facts/${own.fact_id}`)).status).toBe(404);
    expect((await bob('DELETE', `/v1/facts/${own.fact_id}`)).status).toBe(404);
    expect((await ada('GET', `/v1/facts/${own.fact_id}`)).body).toEqual(own);
    expect((await admin('GET', `/v1/facts/${own.fact_id}`)).body).toEqual(own);
    expect(valuesOf(await entityOf(bob, 'p'))).toEqual(['public']);
    expect(valuesOf(await entityOf(ada, 'p'))).toEqual(['secret of ada']);
    expect(valuesOf(await entityOf(admin, 'p'))).toEqual(['secret of ada', 'public']);
    expect((await bob('PUT', '/v1/facts', fact('p', 'k', 'newer'))).body).toMatchObject({ version: 2 });
    expect((await bob('GET', `/v1/facts/${open.fact_id}`)).body).toHaveProperty('superseded_by');
    expect(valuesOf(await entityOf(ada, 'p'))).toEqual(['newer']);
  });

  it('are what is stored under a reserved prefix, whatever is sent', async () => {
    for (const entity of ['__x', 'svc:x', 'layer:x', 'storybook:x', 'dossier:x']) {
      const { body } = await ada('PUT', '/v1/facts', fact(entity, 'k', 'v', { private: false }));
      expect(body.private).toBe(true);
      expect((await ada('PUT', '/v1/facts/bulk', [fact(entity, 'l', 'v')])).body.facts[0].private).toBe(true);
      expect(valuesOf(await entityOf(bob, entity))).toEqual([]);
      expect(valuesOf(await entityOf(ada, entity))).toEqual(['v', 'v']);
    }
    expect((await ada('GET', '/v1/facts?entity_prefix=svc:')).body.facts).toHaveLength(2);
    const found = (await ada('GET', '/v1/facts?top_k=1000')).body.facts as { entity: string }[];
    expect(found.filter(({ entity }) => /^(__|svc:|layer:|storybook:|dossier:)/.test(entity))).toEqual([]);
  });
});

describe('DELETE /v1/facts/{factId}', () => {
  it('answers deleted once, and 404 from then on', async () => {
    const first = (await ada('PUT', '/v1/facts', fact('d', 'k', 'one'))).body;
    const second = (await ada('PUT', '/v1/facts', fact('d', 'k', 'two'))).body;
    expect(await bob('DELETE', `/v1/facts/${second.fact_id}`)).toMatchObject({ status: 200, body: { deleted: true } });
    for (const { fact_id } of [first, second]) {
      expect((await ada('DELETE', `/v1/facts/${fact_id}`)).status).toBe(404);
      expect((await ada('GET', `/v1/facts/${fact_id}`)).status).toBe(404);
    }
    expect(valuesOf(await entityOf(ada, 'd'))).toEqual([]);
    const again = (await ada('PUT', '/v1/facts', fact('d', 'k', 'three'))).body;
    expect([again.version, again.superseded_by]).toEqual([4, undefined]);
    expect(valuesOf(await entityOf(ada, 'd'))).toEqual(['three']);
  });

  it('refuses an older version, and names the one that holds', async () => {
    const first = (await ada('PUT', '/v1/facts', fact('older', 'k', 'one'))).body;
    const second = (await bob('PUT', '/v1/facts', fact('older', 'k', 'two'))).body;
    const refused = await ada('DELETE', `/v1/facts/${first.fact_id.toUpperCase()}`);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ fact_id: first.fact_id, current_fact_id: second.fact_id }),
    ]);
    expect(valuesOf(await entityOf(ada, 'older'))).toEqual(['two']);
    expect((await ada('DELETE', `/v1/facts/${second.fact_id.toUpperCase()}`)).status).toBe(200);
    expect(valuesOf(await entityOf(ada, 'older'))).toEqual([]);
  });

  it('deletes what was named or nothing, however many write at once', async () => {
    for (let round = 0; round < 10; round++) {
      const first = (await ada('PUT', '/v1/facts', fact('race', `k${round}`, 'one'))).body;
      const [written, deleted] = await Promise.all([
        bob('PUT', '/v1/facts', fact('race', `k${round}`, 'two')),
        ada('DELETE', `/v1/facts/${first.fact_id}`),
      ]);
      expect([200, 409]).toContain(deleted.status);
      if (deleted.status === 409) expect(deleted.body.current_fact_id).toBe(written.body.fact_id);
      expect((await ada('GET', `/v1/facts/${written.body.fact_id}`)).status).toBe(200);
    }
  });

  it.each([UNKNOWN, 'no-uuid', '%00', 'a%2Fb'])('does not find %s', async (id) => {
    const statuses = [(await ada('GET', `/v1/facts/${id}`)).status, (await ada('DELETE', `/v1/facts/${id}`)).status];
    expect(statuses).toEqual(id === '%00' ? [400, 400] : [404, 404]);
  });
});

describe('another tenant', () => {
  it('sees none of it, not even by id', async () => {
    const { body } = await ada('PUT', '/v1/facts', fact('mine', 'k', 'v'));
    const other = daemon.as({ scopes: READ_AND_WRITE, passport: 'ada', tenant: 'u' });
    expect((await other('GET', `/v1/facts/${body.fact_id}`)).status).toBe(404);
    expect((await other('DELETE', `/v1/facts/${body.fact_id}`)).status).toBe(404);
    expect(valuesOf(await entityOf(other, 'mine'))).toEqual([]);
    expect((await other('GET', '/v1/facts')).body).toEqual({ facts: [], total_tokens: 0, matched: true });
    expect((await other('GET', '/v1/facts/export')).body.facts).toEqual([]);
    expect((await other('GET', '/v1/facts/list?include_reserved=1')).body).toMatchObject({
      facts: [],
      total_visible: 0,
      total_nondeleted: 0,
    });
    expect((await other('PUT', '/v1/facts', fact('mine', 'k', 'theirs'))).body.version).toBe(1);
  });
});
