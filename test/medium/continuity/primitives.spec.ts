import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { KeyCheck } from '../../../src/common/keys/key-check.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenDocument, retrieve } from '../citations/given.js';
import { read, walk, write } from './given.js';

const TEXT = 'Releases happen on the first Monday of the month.';
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
let chunkId: string;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
  await givenDocument(acme, { text: TEXT, docId: 'releases' });
  chunkId = (await retrieve(acme, 'first Monday'))[0].chunkId;
});
afterAll(() => api.close());

const versionOf = async (agentId: string, name = 'launch') =>
  (await read(acme, agentId, `primitives?name=${name}&includeRetired=true`)).body.primitives[0];

describe('a primitive', () => {
  it('is created, replaced, retired and revived, and keeps every version', async () => {
    const pins = [{ chunkId, note: 'the rule' }];
    const made = await write(acme, 'historian', {
      content: { text: 'Launch.', data: { by: 'May' } },
      pins,
      reason: 'kick-off',
    });
    const by = `key:${acme.keyId}`;
    const first = {
      agentId: 'historian',
      kind: 'goal',
      name: 'launch',
      version: 1,
      content: { text: 'Launch.', data: { by: 'May' } },
      pins: [
        {
          chunkId,
          corpusId: 'handbook',
          docId: 'releases',
          docVersion: 1,
          contentHash: blake3Digest(TEXT),
          source: 'tenant',
          answerId: null,
          answerVersion: null,
          note: 'the rule',
          pinnedAt: TIME,
        },
      ],
      retired: false,
      createdBy: by,
      createdAt: TIME,
      updatedBy: by,
      updatedAt: TIME,
      reason: 'kick-off',
    };
    expect([made.status, made.body]).toEqual([201, first]);
    const replaced = await write(acme, 'historian', { content: { text: 'Later.' }, expectedVersion: 1, pins: [] });
    const second = { ...first, version: 2, content: { text: 'Later.', data: null }, pins: [], reason: null };
    expect(replaced.body).toEqual(second);
    const retired = await write(acme, 'historian', {
      content: undefined,
      expectedVersion: 2,
      retired: true,
      reason: 'done',
    });
    const third = { ...second, version: 3, retired: true, reason: 'done' };
    expect(retired.body).toEqual(third);
    expect((await read(acme, 'historian', 'primitives')).body).toEqual({ primitives: [], next_cursor: null });
    expect((await read(acme, 'historian', 'primitives?includeRetired=true')).body.primitives).toEqual([third]);
    const conflict = await write(acme, 'historian');
    expect([conflict.status, conflict.body.actualVersion, conflict.body.retired]).toEqual([409, 3, true]);
    const revived = await write(acme, 'historian', { expectedVersion: 3 });
    expect([revived.body.version, revived.body.retired]).toEqual([4, false]);
    const { body: history } = await read(acme, 'historian', 'primitives?name=launch&history=true');
    expect(history.primitives).toEqual([revived.body, third, second, first]);
    const { body: journal } = await read(acme, 'historian', 'journal?type=primitive_changed&order=oldest');
    expect(journal.entries.map((entry: any) => [entry.subject, entry.actor, entry.data])).toEqual(
      [
        ['created', 'kick-off'],
        ['replaced', null],
        ['retired', 'done'],
        ['revived', null],
      ].map(([change, reason], i) => [
        'goal/launch',
        by,
        { kind: 'goal', name: 'launch', version: i + 1, change, reason },
      ]),
    );
    const events = await api.database.query<{ data: object }>(
      `select data from outbox_event where kind = 'primitive.changed' and data->>'agentId' = 'historian' order by transaction, position`,
    );
    expect(events.map(({ data }: any) => data.change)).toEqual(['created', 'replaced', 'retired', 'revived']);
  });

  it('keeps its pins where none are sent', async () => {
    const { body: before } = await write(acme, 'keeper', { pins: [{ chunkId }] });
    const { body: after } = await write(acme, 'keeper', { expectedVersion: 1, content: { text: 'x' } });
    expect(after.pins).toEqual(before.pins);
  });

  it('goes to exactly one of many writers each round, and no update is lost', async () => {
    let winners = 0;
    for (let round = 0; round < 6; round++) {
      const writers = Array.from({ length: 8 }, (_, i) =>
        write(acme, 'contested', { expectedVersion: round, content: { data: { round, writer: i } } }),
      );
      const answers = await Promise.all(writers);
      const won = answers.filter(({ status }) => status === 201);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
      expect(answers.filter(({ status }) => status === 409).map(({ body }) => [body.type, body.actualVersion])).toEqual(
        Array(7).fill(['PrimitiveConflict', round + 1]),
      );
      expect((await versionOf('contested')).content.data).toEqual(won[0]!.body.content.data);
      winners += won.length;
    }
    const { body } = await read(acme, 'contested', 'primitives?name=launch&history=true');
    expect([winners, body.primitives.map(({ version }: any) => version)]).toEqual([6, [6, 5, 4, 3, 2, 1]]);
  });

  it('is incremented by concurrent readers and writers without losing one', async () => {
    await write(acme, 'counter', { content: { data: { n: 0 } } });
    const increment = async (): Promise<void> => {
      for (;;) {
        const { version, content } = await versionOf('counter');
        const sent = { expectedVersion: version, content: { data: { n: content.data.n + 1 } } };
        if ((await write(acme, 'counter', sent)).status === 201) return;
      }
    };
    await Promise.all(Array.from({ length: 10 }, increment));
    const { version, content } = await versionOf('counter');
    expect([version, content.data]).toEqual([11, { n: 10 }]);
  });
});

describe('the list', () => {
  it('is walked once by its cursor, in order, and filtered', async () => {
    const kinds = ['skill', 'goal', 'constraint', 'preference'];
    for (const kind of kinds) for (const name of ['b', 'a', 'Ä']) await write(acme, 'librarian', { kind, name });
    const rows = await walk(acme, '/v1/home/librarian/primitives', 'primitives', 5);
    const ordered = [...kinds].sort().flatMap((kind) => ['a', 'b', 'Ä'].map((name) => `${kind}/${name}`));
    expect(rows.map(({ kind, name }) => `${kind}/${name}`)).toEqual(ordered);
    for (let version = 1; version < 5; version++)
      await write(acme, 'librarian', { kind: 'goal', name: 'a', expectedVersion: version });
    const history = await walk(acme, '/v1/home/librarian/primitives?name=a&history=true&kind=goal', 'primitives', 2);
    expect(history.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    const { body } = await read(acme, 'librarian', 'primitives?kind=skill&name=b');
    expect(body.primitives.map(({ kind, name }: any) => [kind, name])).toEqual([['skill', 'b']]);
  });

  it("is empty for an agent that nobody has written for, and shows nothing of another agent's or tenant's", async () => {
    const agent = 'the agent / 2 ü%';
    await write(acme, agent);
    const empty = { primitives: [], next_cursor: null };
    expect((await read(acme, 'nobody', 'primitives')).body).toEqual(empty);
    expect((await read(other, agent, 'primitives')).body).toEqual(empty);
    expect((await read(acme, agent, 'primitives')).body.primitives).toHaveLength(1);
    expect((await write(other, agent)).body.version).toBe(1);
    for (const what of ['journal', 'stale-pins', 'session-context']) {
      const { status, text } = await read(other, 'historian', what);
      expect([what, status, text.includes('launch')]).toEqual([what, 200, false]);
    }
  });
});

describe('refusing a write', () => {
  it.each<[string, object, string]>([
    ['without content', { content: undefined }, 'body.content'],
    ['with empty content', { content: {} }, 'body.content'],
    ['with content that is no object', { content: 'text' }, 'body.content'],
    ['with a text that is none', { content: { text: 5 } }, 'body.content.text'],
    ['with a text too long', { content: { text: 'x'.repeat(8001) } }, 'body.content.text'],
    ['with data too large', { content: { data: { x: 'x'.repeat(16_400) } } }, 'body.content.data'],
    ['of an unknown kind', { kind: 'wish' }, 'body.kind'],
    ['without a name', { name: '' }, 'body.name'],
    ['with a name too long', { name: 'n'.repeat(201) }, 'body.name'],
    ['expecting a version below zero', { expectedVersion: -1 }, 'body.expectedVersion'],
    ['expecting half a version', { expectedVersion: 1.5 }, 'body.expectedVersion'],
    ['expecting a version past all', { expectedVersion: 2 ** 40 }, 'body.expectedVersion'],
    ['retiring what was not read', { retired: true }, 'body.expectedVersion'],
    ['with a pin of nothing', { pins: [{}] }, 'body.pins[0]'],
    ['with a pin of two things', { pins: [{ chunkId: 'a', answerId: 'b' }] }, 'body.pins[0]'],
    ['with a pin of an unknown passage', { pins: [{ chunkId: 'chk_none' }] }, 'body.pins[0].chunkId'],
    ['with a pin of an unknown answer', { pins: [{ answerId: 'none' }] }, 'body.pins[0].answerId'],
    ['with too many pins', { pins: Array(51).fill({ chunkId: 'x' }) }, 'body.pins'],
    ['with a member that is none', { version: 1 }, 'body.version'],
  ])('%s', async (_, members, path) => {
    const { status, body } = await write(acme, 'refused', members);
    expect([status, body.type, [...new Set(body.issues.map((issue: any) => issue.path))]]).toEqual([
      400,
      'ValidationFailed',
      [path],
    ]);
    expect((await read(acme, 'refused', 'primitives?includeRetired=true')).body.primitives).toEqual([]);
  });

  it('of a pin set twice, or of a passage of another tenant', async () => {
    const twice = await write(acme, 'refused', { pins: [{ chunkId }, { chunkId }] });
    expect(twice.body.issues).toEqual([{ path: 'body.pins[1].chunkId', message: 'is pinned twice; leave one out' }]);
    const foreign = await write(other, 'refused', { pins: [{ chunkId }] });
    expect([foreign.status, foreign.body.issues[0].path]).toEqual([400, 'body.pins[0].chunkId']);
  });

  it('that replaces what is not there', async () => {
    const { status, body } = await write(acme, 'refused', { expectedVersion: 3 });
    expect([status, body.type, body.expectedVersion, body.actualVersion]).toEqual([409, 'PrimitiveConflict', 3, 0]);
  });

  it('for an agent whose name is too long', async () => {
    expect((await write(acme, 'a'.repeat(512))).status).toBe(201);
    const { status, body } = await write(acme, 'a'.repeat(513));
    expect([status, body.issues[0].path]).toEqual([400, 'path.agentId']);
  });

  it('history without a name, and cursors of another list', async () => {
    expect((await read(acme, 'refused', 'primitives?history=true')).body.issues[0].path).toBe('query.name');
    const cursor = Buffer.from('[1]').toString('base64url');
    expect((await read(acme, 'refused', `primitives?cursor=${cursor}`)).body.issues[0].path).toBe('query.cursor');
  });

  it('by a viewer, who may read the home', async () => {
    const keys = api.app.get(KeyCheck);
    const find = keys.find.bind(keys);
    keys.find = async (...credential) => {
      const caller = await find(...credential);
      return caller && { ...caller, role: 'viewer' };
    };
    try {
      for (const what of ['primitives', 'journal', 'stale-pins', 'session-context'])
        expect([what, (await read(acme, 'historian', what)).status]).toEqual([what, 200]);
      expect((await write(acme, 'historian', { expectedVersion: 4 })).status).toBe(403);
      const event = { type: 'schema_adopted', data: { name: 's', version: '1' } };
      expect((await acme.call('POST', '/v1/home/historian/journal/events', event)).status).toBe(403);
    } finally {
      keys.find = find;
    }
  });
});
