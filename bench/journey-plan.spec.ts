import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holds, readJourney } from './journey-plan.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-journey-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (more: object = {}) => {
  writeFileSync(join(folder, 'a.md'), '# Leave\n\nThere are **26** days\nof leave.\n');
  const fact = { entity: 'user:ada', key: 'colour', value: 'red' };
  const file = {
    questions: [{ ask: 'How many days?', document: 'a.md', passage: '26 days of leave' }],
    facts: [{ ...fact, ask: 'which colour' }],
    replaced: fact,
    changed: { document: 'a.md', from: '26', to: '28', question: 0 },
    ...more,
  };
  writeFileSync(join(folder, 'questions.json'), JSON.stringify(file));
};

describe('a folder of documents', () => {
  it('is read with its questions', () => {
    write();
    const { documents, questions, without_answer } = readJourney(folder);
    expect(documents).toMatchObject([{ docId: 'a.md', title: 'Leave' }]);
    expect([questions.length, without_answer]).toEqual([1, []]);
  });

  it.each([
    [{ facts: undefined }, /required property 'facts'/],
    [{ more: 1 }, /additional properties/],
    [{ questions: [{ ask: 'x', document: 'b.md', passage: 'x' }] }, /no document b.md/],
    [{ questions: [{ ask: 'x', document: 'a.md', passage: 'none' }] }, /a.md does not hold "none"/],
  ])('is refused with %j', (more, problem) => {
    write(more);
    expect(() => readJourney(folder)).toThrow(problem);
  });
});

it('a quoted text stands in another whatever the marks and line breaks', () => {
  expect(holds('There are **26** days\nof leave', '26 days of leave')).toBe(true);
});
