import { describe, expect, it } from 'vitest';
import type { ValidationFailed } from '../../../common/problem/common-problems.js';
import { costOf, mayReplace, meetingsOf, readPaths, type Intended } from './intents.rules.js';

const intent = ({ paths = [], ...rest }: Partial<Omit<Intended, 'paths'>> & { paths?: string[] }): Intended => ({
  ...{ execplanSlug: null, milestone: null, deployTarget: null },
  ...rest,
  paths: readPaths(paths),
});

const issuesOf = (paths: string[]): unknown => {
  try {
    return readPaths(paths).map(({ text }) => text);
  } catch (error) {
    return (error as ValidationFailed).facts.issues;
  }
};

describe('paths', () => {
  it('are written in one way, each once', () => {
    expect(issuesOf(['src//a/', './src/a', 'src/**/**'])).toEqual(['src/a', 'src/**']);
  });

  it('are refused by their place in the list', () => {
    expect(issuesOf(['src', '../out', '/etc'])).toEqual([
      { path: 'body.paths[1]', message: expect.stringContaining('".."') },
      { path: 'body.paths[2]', message: expect.stringContaining('root of the repository') },
    ]);
  });

  it('with wildcards are bounded together, others are not', () => {
    const long = (end: string) => Array.from({ length: 6 }, (_, index) => `${index}${'a'.repeat(200)}${end}`);
    expect(issuesOf(long('*'))).toEqual([{ path: 'body.paths', message: expect.stringContaining('1024') }]);
    expect(issuesOf(long(''))).toHaveLength(6);
  });
});

describe('two intents', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['src', 'src/a.ts'],
    ['src/a.ts', 'src'],
    ['src/*.ts', 'src/a.ts'],
    ['src/**', 'src/deep/er/a.ts'],
  ])('meet at the paths %s and %s', (mine, theirs) => {
    expect(meetingsOf(intent({ paths: [mine] }), intent({ paths: [theirs] }))).toEqual([
      { kind: 'path', mine, theirs },
    ]);
  });

  it.each([
    ['src/a', 'src/ab'],
    ['src/*.ts', 'src/deep/a.ts'],
    ['one/repo:src', 'two/repo:src'],
  ])('do not meet at the paths %s and %s', (mine, theirs) => {
    expect(meetingsOf(intent({ paths: [mine] }), intent({ paths: [theirs] }))).toEqual([]);
  });

  it('meet at a deploy target, whatever its case, and name each as it was given', () => {
    expect(meetingsOf(intent({ deployTarget: 'Production' }), intent({ deployTarget: 'production ' }))).toEqual([
      { kind: 'deploy_target', mine: 'Production', theirs: 'production ' },
    ]);
    expect(meetingsOf(intent({ deployTarget: 'staging' }), intent({ deployTarget: 'production' }))).toEqual([]);
  });

  it('meet at a milestone of the same plan, or where one names no plan', () => {
    const at = (execplanSlug: string | null) => intent({ execplanSlug, milestone: 'M1' });
    const met = [{ kind: 'milestone', mine: 'M1', theirs: 'M1' }];
    expect([meetingsOf(at('p'), at('p')), meetingsOf(at('p'), at(null)), meetingsOf(at('p'), at('q'))]).toEqual([
      ...[met, met],
      [],
    ]);
  });

  it('without anything in common meet nowhere', () => {
    expect(meetingsOf(intent({}), intent({}))).toEqual([]);
  });
});

it('wildcards cost more than names', () => {
  const literal = intent({ paths: ['src/a', 'src/b'] });
  const pattern = intent({ paths: [`${'*a'.repeat(100)}`] });
  expect(costOf(literal, literal)).toBe(4);
  expect(costOf(pattern, pattern)).toBeGreaterThan(400);
});

describe('an intent is replaced', () => {
  const ada = { announcedBy: 'passport:ada', byPassport: 'ada' };
  it.each<[boolean, string, Parameters<typeof mayReplace>[1]]>([
    [true, 'by who announced it', { isAdmin: false, principal: 'passport:ada', passport: undefined }],
    [true, 'by its passport with another credential', { isAdmin: false, principal: 'sub:7', passport: 'ada' }],
    [true, 'by an operator', { isAdmin: true, principal: 'sub:root', passport: undefined }],
    [false, 'by another passport', { isAdmin: false, principal: 'passport:bob', passport: 'bob' }],
    [false, 'by a credential without a passport', { isAdmin: false, principal: 'key:1', passport: undefined }],
  ])('%s: %s', (may, _, caller) => expect(mayReplace(ada, caller)).toBe(may));

  it('that bears no passport by its credential alone', () => {
    const bare = { announcedBy: 'key:1', byPassport: null };
    expect(mayReplace(bare, { isAdmin: false, principal: 'key:1', passport: undefined })).toBe(true);
    expect(mayReplace(bare, { isAdmin: false, principal: 'key:2', passport: undefined })).toBe(false);
  });
});
