import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LANES } from '../../../src/modules/knowledge/retrieval/retrieval.types.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { ingest, retrieve } from './given.js';

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs');

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  const files = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  await ingest(
    api.tenant,
    files.map((file) => {
      const content = readFileSync(join(DOCS, file), 'utf8');
      return { docId: file, title: /^# (.+)$/m.exec(content)?.[1] ?? file, content };
    }),
  );
  await ingest(api.tenant, [
    {
      ...{ corpusId: 'mensa', docId: 'essen', title: 'Kantine', language: 'german' },
      content: 'Das Mittagessen wird von zwölf bis zwei Uhr in der Kantine im Erdgeschoss ausgegeben.',
    },
  ]);
}, 120_000);
afterAll(() => api.close());

async function fits(query: string, rest: object = {}): Promise<string[]> {
  const answers = await Promise.all(LANES.map((lane) => retrieve(api.tenant, query, { ...rest, lane })));
  return answers.map(({ meta }) => meta.fit);
}

it.each([
  'How is a document deleted when a legal hold is on it?',
  'What does it cost to search the commons on the free tier?',
  'Who may approve a call that the shield asks about?',
  'SVC_CACHE_MIB',
])('the fit is strong for what the documents say, in every lane: %s', async (question) => {
  expect(await fits(question)).toEqual(['strong', 'strong', 'strong']);
});

it.each([
  'How does photosynthesis work in desert plants?',
  'What medication is used for high blood pressure?',
  'Welche Medikamente helfen gegen Kopfschmerzen?',
  'getUserByEmailAddress',
  'zebra',
  'the of and',
])('the fit is none for what they do not say, in every lane: %s', async (question) => {
  expect(await fits(question)).toEqual(['none', 'none', 'none']);
});

it('the fit does not refuse what is asked in few of their words', async () => {
  expect(await fits('how are two sessions kept from editing the same file')).not.toContain('none');
  expect(await fits('pgvector')).not.toContain('none');
});

it('the fit judges a passage by the words of its own language', async () => {
  expect(await fits('Wann wird das Mittagessen in der Kantine ausgegeben?')).toEqual(['strong', 'strong', 'strong']);
});

it.each([
  ['the of and', {}, /stop words/],
  ['?! ...', {}, /stop words/],
  ['zebra', {}, /No passage that was searched has a word/],
  ['legal hold', { corpusIds: ['no-such-corpus'] }, /No passage was searched/],
])('the fit is none with a note that says why: %s', async (query, rest, why) => {
  const answers = await Promise.all(LANES.map((lane) => retrieve(api.tenant, query, { ...rest, lane })));
  for (const { meta } of answers) expect(meta).toMatchObject({ fit: 'none', note: expect.stringMatching(why) });
  expect((await retrieve(api.tenant, 'the zebra and the legal hold')).meta).not.toHaveProperty('note');
});

it('the fit is none where nothing is searched, and does not depend on how many passages are asked for', async () => {
  expect(await fits('legal hold', { corpusIds: ['no-such-corpus'] })).toEqual(['none', 'none', 'none']);
  const asked = await Promise.all([1, 2, 8, 50].map((limit) => retrieve(api.tenant, 'legal hold', { limit })));
  expect(new Set(asked.map(({ meta }) => meta.fit)).size).toBe(1);
});
