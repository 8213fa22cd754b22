import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { givenDocument, retrieve, type Found } from '../citations/given.js';
import { givenAnswer } from '../proofs/given.js';

/** The api takes documents and answers, the daemon facts that were learnt from them. */
let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let ada: DaemonCall;
let bob: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database });
  acme = api.tenant;
  ada = daemon.as({ scopes: ALL_SCOPES, passport: 'ada', tenant: acme.tenantId });
  bob = daemon.as({ scopes: 'query:read facts:write', passport: 'bob', tenant: acme.tenantId });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const TEXT = 'Quokkas smile at people, and hop away.';
let cases = 0;
const given = async (tenant: TestTenant, shareability: 'owner_only' | 'public_safe' = 'owner_only'): Promise<Found> => {
  const corpusId = `corpus-${++cases}`;
  await givenDocument(tenant, { text: TEXT, corpusId, docId: 'a/quokka', shareability });
  return (await retrieve(tenant, TEXT, { corpusIds: [corpusId], includeCommons: false }))[0];
};
const again = (text: string) => givenDocument(acme, { text, corpusId: `corpus-${cases}`, docId: 'a/quokka' });
const put = async (body: object, by = ada) =>
  by('PUT', '/v1/facts', { entity: `e${++cases}`, key: 'k', value: 'v', ...body });
const sourcesOf = async (factId: string, by = ada) => {
  const { body } = await by('GET', `/v1/facts/${factId}`);
  return { sources: body.sources, source_changed: body.source_changed };
};

describe('a fact with sources', () => {
  it('says of a passage and a document whether their text still stands', async () => {
    const { chunkId } = await given(acme);
    const document = `corpus-${cases}/a/quokka`;
    const sources = [chunkId, document];
    const { status, body } = await ada('PUT', '/v1/facts', { entity: 'quokka', key: 'k', value: 'smiles', sources });
    const holds = [
      { id: chunkId, kind: 'passage', state: 'holds' },
      { id: document, kind: 'document', state: 'holds' },
    ];
    expect([status, body.sources, body.source_changed]).toEqual([201, holds, undefined]);
    expect((await ada('GET', `/v1/facts/${body.fact_id}`)).body).toEqual(body);

    await again('Quokkas do not smile.');
    const [{ chunkId: now }] = await retrieve(acme, 'Quokkas', { corpusIds: [document.split('/')[0]!] });
    const changed = {
      sources: [
        { id: chunkId, kind: 'passage', state: 'changed', new_id: now },
        { id: document, kind: 'document', state: 'changed' },
      ],
      source_changed: true,
    };
    expect(await sourcesOf(body.fact_id)).toEqual(changed);
    expect((await ada('GET', '/v1/facts?query=smiles')).body.facts).toMatchObject([changed]);
    expect((await ada('GET', '/v1/facts/entity/quokka')).body.facts).toMatchObject([changed]);

    await again(TEXT);
    expect(await sourcesOf(body.fact_id)).toMatchObject({ sources: [{ state: 'holds' }, { state: 'holds' }] });
  });

  it('rests on what another tenant shares, not on what it keeps to itself', async () => {
    const publisher = await api.addTenant('publisher');
    const shared = await given(publisher, 'public_safe');
    const document = `corpus-${cases}/a/quokka`;
    const own = await given(publisher);
    const stored = await put({ sources: [shared.chunkId, document] });
    expect(stored.body.sources.map(({ kind }: { kind: string }) => kind)).toEqual(['passage', 'document']);
    for (const refused of [own.chunkId, `corpus-${cases}/a/quokka`]) {
      const { status, body } = await put({ sources: [shared.chunkId, refused] });
      expect([status, body.issues[0].path]).toEqual([400, 'body.sources[1]']);
      expect(body.issues[0].message).toContain('answerId');
    }
  });

  it('says of a fact whether it is current, and of a receipt that it holds', async () => {
    const first = (await put({ entity: 'cited', value: 'one' })).body;
    const { body } = await put({ sources: [first.fact_id, first.receipt_id] });
    expect(body.sources).toEqual([
      { id: first.fact_id, kind: 'fact', state: 'holds' },
      { id: first.receipt_id, kind: 'receipt', state: 'holds' },
    ]);
    const second = (await put({ entity: 'cited', value: 'two' })).body;
    expect((await sourcesOf(body.fact_id)).sources[0]).toMatchObject({ state: 'changed', new_id: second.fact_id });
    await ada('DELETE', `/v1/facts/${second.fact_id}`);
    expect(await sourcesOf(body.fact_id)).toEqual({
      sources: [
        { id: first.fact_id, kind: 'fact', state: 'gone' },
        { id: first.receipt_id, kind: 'receipt', state: 'holds' },
      ],
      source_changed: true,
    });
  });

  it('says of an answer whether it has a newer version', async () => {
    const { chunkId } = await given(acme);
    const record = (answerText: string) => givenAnswer(acme, [chunkId], { answerId: 'the-answer', answerText });
    await record('smiles');
    const { body } = await put({ sources: ['the-answer'] });
    expect(body.sources).toEqual([{ id: 'the-answer', kind: 'answer', state: 'holds' }]);
    await record('frowns');
    expect(await sourcesOf(body.fact_id)).toMatchObject({ sources: [{ state: 'changed' }], source_changed: true });
  });

  it('names none that is missing, or private to another', async () => {
    const own = (await put({ private: true })).body;
    for (const source of [own.fact_id, 'nothing', `blake3:${'0'.repeat(64)}`, 'x/y', ' ']) {
      const { status, body } = await put({ sources: [source] }, bob);
      expect([status, body.issues[0].path]).toEqual([400, 'body.sources[0]']);
    }
    const list = [
      { entity: 'l', key: '1', value: 'v' },
      { entity: 'l', key: '2', value: 'v', sources: ['nothing'] },
    ];
    expect((await bob('PUT', '/v1/facts/bulk', list)).body.issues[0].path).toBe('body[1].sources[0]');
    const { body } = await put({ sources: [own.fact_id], entity: 'shown' });
    expect(await sourcesOf(body.fact_id, bob)).toMatchObject({ sources: [{ state: 'gone' }] });
    expect(await sourcesOf(body.fact_id)).toMatchObject({ sources: [{ state: 'holds' }] });
  });

  it('goes, and they with it', async () => {
    const cited = (await put({ entity: 'bound', value: 'one' })).body;
    const { body } = await put({ entity: 'bound', key: 'of', sources: [cited.fact_id] });
    const [row] = await api.database.query<{ digest: string; count: number }>(
      `select f.sources_digest as digest, (select count(*)::int from fact_source_ref r where r.fact_id = f.fact_id) as count
       from fact f where f.fact_id = '${body.fact_id as string}'`,
    );
    expect(row).toEqual({ digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string, count: 1 });
    await ada('DELETE', `/v1/facts/${body.fact_id}`);
    await api.database.query(`delete from fact where fact_id = '${body.fact_id as string}'`);
    expect(await api.database.query(`select from fact_source_ref where fact_id = '${body.fact_id as string}'`)).toEqual(
      [],
    );
  });
});
