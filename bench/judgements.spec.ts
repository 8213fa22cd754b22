import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readCollection } from './judgements.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-collection-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (file: string, ...lines: string[]) => writeFileSync(join(folder, file), `${lines.join('\n')}\n`);

it('reads documents, and the queries that have something relevant', () => {
  write('corpus.jsonl', '{"id":"1","title":"One","text":"first"}', '', '{"_id":2,"text":"second"}');
  write('queries.jsonl', '{"id":"q1","text":"one"}', '{"id":"q2","text":"none"}', '{"id":"q3","text":"unjudged"}');
  write('qrels.tsv', 'query-id\tcorpus-id\tscore', 'q1\t1\t2', 'q1\t2\t0', 'q2\t1\t0');
  expect(readCollection(folder)).toEqual({
    documents: [
      { id: '1', title: 'One', text: 'first' },
      { id: '2', title: '', text: 'second' },
    ],
    queries: [
      {
        id: 'q1',
        text: 'one',
        grades: new Map([
          ['1', 2],
          ['2', 0],
        ]),
      },
    ],
  });
});

it('names the file and the line that cannot be read', () => {
  write('qrels.tsv', 'q1\t1\t2', 'q1 1 2');
  expect(() => readCollection(folder)).toThrow(`${join(folder, 'qrels.tsv')}:2: expected query id`);
  write('corpus.jsonl', '{"title":"no id"}');
  expect(() => readCollection(folder)).toThrow(`${join(folder, 'corpus.jsonl')}:1: member id must be text`);
  expect(() => readCollection(join(folder, 'nowhere'))).toThrow('corpus.jsonl is missing');
});
