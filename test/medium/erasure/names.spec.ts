import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namesIn } from '../../../src/modules/governance/erasure/record-names.rules.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const bySql = async (value: unknown): Promise<string[]> => {
  const sql = 'select n from svc_names_in($1::jsonb) n where n is not null';
  const rows = await database.query<{ n: string }>(sql, [JSON.stringify(value)]);
  return [...new Set(rows.map(({ n }) => n))].sort();
};

/** Members of the names that either side may have in a list of its own. */
const ACTORS = [
  ...['agent_id', 'agentId', 'principal', 'actor', 'owner', 'written_by', 'recorded_by', 'requested_by'],
  ...[
    'submitted_by',
    'stored_by',
    'updated_by',
    'declared_by',
    'by_passport',
    'announced_by',
    'created_by',
    'placed_by',
  ],
];

describe('what a record names', () => {
  it.each<[string, unknown]>([
    ['a text', 'ada'],
    ['a number', 7],
    ['a list', ['a', 1, null, ['b', { c: 'd' }]]],
    ['an entity', { entity: 'user:ada', key: 'phone' }],
    ['a document', { corpus_id: 'c', doc_id: 'd' }],
    ['a document of the tenant API', { corpusId: 'c', docId: 'd' }],
    ['half a document', { corpus_id: 'c', doc: 'd' }],
    ['a node', { kind: 'person', id: 'ada' }],
    ['an edge', { from_kind: 'person', from_id: 'ada', to_kind: 'person', to_id: 'bob', edge_kind: 'knows' }],
    ['a stream', { stream_type: 'orders', stream_id: '17' }],
    ['an answer', { answer_id: 'a1' }],
    ['an answer of the tenant API', { answerId: 'a1' }],
    ...ACTORS.map((name): [string, unknown] => [name, { [name]: 'key:1', other: { [name]: 7 } }]),
    [
      'what is deep',
      {
        body: {
          items: [
            { entity: 'e', actor: 'p' },
            { kind: 'k', id: 'i' },
          ],
        },
        note: 'n',
      },
    ],
    ['other characters', { entity: 'Ångström "x" \\ \u{1f600}', note: 'line\nline' }],
  ])('is the same to the rules and to svc_names_in: %s', async (_, value) => {
    expect([...new Set(namesIn(value))].sort()).toEqual(await bySql(value));
  });
});
