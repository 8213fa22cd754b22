import { describe, expect, it } from 'vitest';
import { isPlanId, PLAN_LIMITS, projectOf, readPlan } from './plans.rules.js';

const PLAN = `# Release 2.4

Some words, with - [ ] no list.

## Board

- [x] Measure the list
- [~] Speed up the *board* {#board}
  and its pages

  In two steps.
  - [ ] Index
  - no item of work
- [ ] Index

\`\`\`
- [ ] in code
\`\`\`

> 1. [X] Quoted
- [] none
- [ ]
- [y] none
`;

describe('a plan file', () => {
  it('has an item for each item of its check-lists, and for nothing else', () => {
    const items = readPlan('web/release.md', PLAN);
    expect(items.map(({ title, state }) => [title, state])).toEqual([
      ['Measure the list', 'done'],
      ['Speed up the *board*', 'in_progress'],
      ['Index', 'ready'],
      ['Index', 'ready'],
      ['Quoted', 'done'],
    ]);
    expect(items[1]).toMatchObject({ headings: ['Release 2.4', 'Board'], line: 8 });
    expect(items[1]!.body).toBe('and its pages\n\nIn two steps.');
  });

  it('gives ids that last: whatever is checked, moved or written around them', () => {
    const idsOf = (source: string, path = 'a.md') =>
      new Map(readPlan(path, source).map(({ id, title }) => [title, id]));
    const before = idsOf('- [ ] One\n- [ ] Two {#two}\n');
    const after = idsOf('# New\n\n- [x] Zero\n- [~] Second {#two}\n\ntext\n\n* [x] One\n');
    expect(after.get('One')).toBe(before.get('One'));
    expect(after.get('Second')).toBe(before.get('Two'));
    expect(idsOf('- [ ] One\n', 'b.md').get('One')).not.toBe(before.get('One'));
    const ids = readPlan('a.md', '- [ ] Same\n- [ ] Same\n- [ ] Other {#o}\n- [ ] Same\n').map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every(isPlanId)).toBe(true);
  });

  it('is read without delay where it is blank for the most part', () => {
    const blanks = ' '.repeat(200_000);
    const [item] = readPlan('a.md', `# One${blanks}x\n\n- [ ] Two${blanks}x ${blanks}{#two}\n`);
    expect([item!.id, item!.title]).toEqual([readPlan('a.md', '- [ ] Two x {#two}')[0]!.id, 'Two x']);
  });

  it('may have Windows line ends, and no text at all', () => {
    expect(readPlan('a.md', '- [ ] One\r\n  more\r\n- [x] Two\r\n').map(({ title, body }) => [title, body])).toEqual([
      ['One', 'more'],
      ['Two', ''],
    ]);
    expect(readPlan('a.md', '')).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['is no text', 'a\0b', 'is not text'],
    ['nests quotes', `${'> '.repeat(5000)}a`, 'nests lists or quotes'],
    ['nests lists', '- '.repeat(5000), 'nests lists or quotes'],
    ['has too much in it', '- [ ] a\n'.repeat(PLAN_LIMITS.items + 1), 'has more than 2000'],
  ])('is refused where it %s', (_what, source, message) => {
    expect(() => readPlan('a.md', source)).toThrow(message);
  });
});

it('the project of a plan file is its folder, else its name', () => {
  expect(['web/a.md', 'web/sub/a.md', 'release.md', 'Release.MARKDOWN'].map(projectOf)).toEqual([
    'web',
    'web',
    'release',
    'Release',
  ]);
});
