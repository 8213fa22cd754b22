import { describe, expect, it } from 'vitest';
import { readSkill } from './skill-file.rules.js';

const file = (front: string, body = 'Do it.') => `---\n${front}\n---\n\n${body}\n`;

describe('a SKILL.md', () => {
  it('is read as Agent Skills writes it, our members below metadata or next to name', () => {
    const front = [
      ...['name: review', 'description: Use it to review code.', 'license: MIT', 'metadata:'],
      ...['  version: 4', '  intent_bucket: code', '  enabled: "false"', 'query_pattern: review*'],
    ].join('\n');
    expect(readSkill('review', file(front, '# Review\r\n\r\nLook twice.'))).toMatchObject({
      version: 4,
      payload: {
        ...{ name: 'review', description: 'Use it to review code.', content: '# Review\n\nLook twice.' },
        ...{ intent_bucket: 'code', enabled: false, query_pattern: 'review*' },
      },
    });
  });

  it('is version 1 where it names none that is a number', () => {
    for (const version of ['1.0.2', '-3', 'x', '1e99'])
      expect(readSkill('a', file(`name: a\nmetadata:\n  version: "${version}"`)).version).toBe(1);
  });

  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    .concat([...'bcdefghi'].map((to, i) => `${to}: &${to} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`))
    .join('\n');
  it.each<[string, string, string]>([
    ['without front matter', 'Do it.', 'front matter'],
    ['with one that does not end', '---\nname: a\n', 'front matter'],
    ['with one that is no YAML', file('name: [a'), 'no YAML'],
    ['with one that is a list', file('- a'), 'without members'],
    ['with an empty one', '---\n---\nDo it.', 'without members'],
    ['of another name', file('name: b'), 'name'],
    ['without a content', file('name: a', ''), 'content'],
    ['with a member twice', file('name: a\nname: a'), 'no YAML'],
    ['with aliases that stand for gigabytes', file(`name: a\n${bomb}`), ''],
    ['with a front matter that is too long', file(`name: a\ndescription: ${'x'.repeat(9000)}`), 'more than'],
    ['that nests too deep', file(`name: a\nb: ${'['.repeat(7000)}`), ''],
    ['with a class of its own', file('name: a\nmetadata:\n  capability_class_min: huge'), 'capability_class_min'],
  ])('%s is refused', (_what, text, said) => {
    const from = performance.now();
    expect(() => readSkill('a', text)).toThrow(said);
    expect(performance.now() - from).toBeLessThan(1000);
  });
});
