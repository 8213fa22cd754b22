import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenDocument, retrieve } from '../citations/given.js';
import { read, walk, write } from './given.js';

const TEXT = 'Platypuses sleep in burrows by the river.';
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
});
afterAll(() => api.close());

/** A document of one passage, and that passage's id. */
async function passage(docId: string, text = TEXT, tenant = acme, shareability?: 'public_safe'): Promise<string> {
  await givenDocument(tenant, { text: `${text} ${docId}`, docId, shareability });
  return (await retrieve(tenant, `${text} ${docId}`)).find((found) => found.docId === docId)!.chunkId;
}
const stale = async (agentId: string) => (await read(acme, agentId, 'stale-pins')).body.stale_pins;
const cite = (answerId: string, chunkIds: string[]) =>
  acme.call(
    'POST',
    '/v1/citations',
    {
      agentId: 'a',
      answerId,
      idempotencyKey: crypto.randomUUID(),
      citations: chunkIds.map((chunkId) => ({ chunkId })),
    },
    { 'x-idempotency-key': '' },
  );

describe('a pin', () => {
  it('is stale when its document was ingested again, with where its text stands now', async () => {
    const old = `${TEXT} moved`;
    const chunkId = await passage('moved');
    await write(acme, 'mover', { pins: [{ chunkId, note: 'habitat' }] });
    expect(await stale('mover')).toEqual([]);
    const fresh = `Notes of the year.\n\n${old}\n\nMore notes.`;
    await givenDocument(acme, { text: fresh, docId: 'moved' });
    const now = (await retrieve(acme, old)).find(({ docId }) => docId === 'moved')!;
    expect(await stale('mover')).toEqual([
      {
        kind: 'goal',
        name: 'launch',
        version: 1,
        chunkId,
        answerId: null,
        answerVersion: null,
        note: 'habitat',
        pinnedAt: TIME,
        changes: [
          {
            state: 'drifted',
            change: 'reingested',
            chunkId,
            source: 'tenant',
            corpusId: 'handbook',
            docId: 'moved',
            oldVersion: 1,
            newVersion: 2,
            excerpt: old,
            contentHash: blake3Digest(old),
            oldDocumentHash: blake3Digest(old),
            newDocumentHash: blake3Digest(fresh),
            changedAt: TIME,
            replacement: {
              chunkId: now.chunkId,
              version: 2,
              contentHash: blake3Digest(now.content),
              match: 'contained',
            },
          },
        ],
      },
    ]);
    await write(acme, 'mover', { expectedVersion: 1, pins: [{ chunkId: now.chunkId }] });
    expect(await stale('mover')).toEqual([]);
  });

  it('is stale while its text is gone, and not when a new version has it again', async () => {
    const chunkId = await passage('retitled');
    await write(acme, 'reader', { pins: [{ chunkId }] });
    await acme.call('DELETE', '/v1/documents/handbook/retitled');
    expect(await stale('reader')).toMatchObject([
      {
        changes: [
          {
            state: 'unavailable',
            change: 'deleted',
            oldVersion: 1,
            newVersion: null,
            newDocumentHash: null,
            changedAt: TIME,
            replacement: null,
          },
        ],
      },
    ]);
    await givenDocument(acme, { text: `${TEXT} retitled`, docId: 'retitled' });
    expect(await stale('reader')).toEqual([]);
    await givenDocument(acme, { text: 'Echidnas do not.', docId: 'retitled' });
    expect((await stale('reader'))[0].changes).toMatchObject([
      { change: 'reingested', newVersion: 3, replacement: null },
    ]);
    const kept = await write(acme, 'reader', { expectedVersion: 1, pins: [{ chunkId }] });
    expect([kept.status, (await stale('reader')).length]).toEqual([201, 1]);
    await write(acme, 'reader', { expectedVersion: 2, content: undefined, retired: true });
    expect(await stale('reader')).toEqual([]);
  });

  it('of a shared passage is stale when sharing ends, and does not reveal whose it was', async () => {
    const chunkId = await passage('reef', 'Corals spawn after the full moon.', other, 'public_safe');
    expect((await write(acme, 'diver', { pins: [{ chunkId }] })).body.pins[0].source).toBe('commons');
    await givenDocument(other, { text: 'Corals spawn after the full moon. reef', docId: 'reef' });
    const answer = await read(acme, 'diver', 'stale-pins');
    expect(answer.body.stale_pins[0].changes).toMatchObject([
      {
        state: 'unavailable',
        change: 'not_visible',
        source: 'commons',
        newVersion: null,
        oldDocumentHash: null,
        changedAt: null,
        replacement: null,
      },
    ]);
    expect(answer.text).not.toContain('"other"');
    await givenDocument(other, { text: 'Corals spawn in November. reef', docId: 'reef', shareability: 'public_safe' });
    expect((await stale('diver'))[0].changes).toMatchObject([
      { change: 'reingested', newVersion: 3, replacement: null },
    ]);
  });

  it('of an answer is stale when something it cites changes, or when it is recorded again', async () => {
    const [kept, lost] = [await passage('kept'), await passage('lost')];
    await cite('answer-1', [kept, lost]);
    await write(acme, 'author', { pins: [{ answerId: 'answer-1' }] });
    expect(await stale('author')).toEqual([]);
    await acme.call('DELETE', '/v1/documents/handbook/lost');
    expect(await stale('author')).toMatchObject([
      {
        chunkId: null,
        answerId: 'answer-1',
        answerVersion: 1,
        changes: [{ change: 'deleted', chunkId: lost, docId: 'lost' }],
      },
    ]);
    await cite('answer-1', [kept]);
    expect((await stale('author'))[0].changes).toMatchObject([
      { change: 'answer_revised', chunkId: null, oldVersion: 1, newVersion: 2, changedAt: TIME },
      { change: 'deleted' },
    ]);
    const { body } = await write(acme, 'author', { expectedVersion: 1, pins: [{ answerId: 'answer-1' }] });
    expect([body.pins[0].answerVersion, await stale('author')]).toEqual([2, []]);
  });

  it('is met once by the cursor, in the order of its primitives', async () => {
    const chunks = [await passage('p1'), await passage('p2'), await passage('p3')];
    for (const name of ['b', 'a']) await write(acme, 'pager', { name, pins: chunks.map((chunkId) => ({ chunkId })) });
    for (const docId of ['p1', 'p2', 'p3']) await acme.call('DELETE', `/v1/documents/handbook/${docId}`);
    const pins = await walk(acme, '/v1/home/pager/stale-pins', 'stale_pins', 2);
    expect(pins.map(({ name, chunkId }) => [name, chunkId])).toEqual(
      ['a', 'b'].flatMap((name) => chunks.map((chunkId) => [name, chunkId])),
    );
    const bad = await read(acme, 'pager', `stale-pins?cursor=${Buffer.from('["a",1,1]').toString('base64url')}`);
    expect([bad.status, bad.body.issues[0].path]).toEqual([400, 'query.cursor']);
  });
});
