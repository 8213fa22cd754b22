import { describe, expect, it } from 'vitest';
import { applicable, refusalOf } from './engram-match.rules.js';
import { engramOf } from './engram-payload.rules.js';
import type { Engram } from './engrams.types.js';

const engram = (name: string, more: object = {}): Engram =>
  engramOf(
    { name, version: 1, source: 'entity', createdAt: new Date(0), createdBy: 'ada' },
    { content: 'Do it.', ...more },
  )!;
const namesFor = (engrams: Engram[], task?: string) =>
  applicable(engrams, { task }).map(({ engram: { name } }) => name);

describe('what applies', () => {
  const all = [
    engram('review', { description: 'How to review code.' }),
    engram('deploy', { query_pattern: 'deploy*production|roll out' }),
    engram('off', { enabled: false, description: 'review' }),
  ];

  it('is everything that is switched on, by name, where no task is named', () => {
    expect(namesFor(all)).toEqual(['deploy', 'review']);
  });

  it('is what shares words with the task, or has a pattern that the task fits', () => {
    expect(namesFor(all, 'Reviewing the code of Ada')).toEqual(['review']);
    expect(namesFor(all, 'please DEPLOY this to production')).toEqual(['deploy']);
    expect(namesFor(all, 'roll out the review')).toEqual(['deploy', 'review']);
    expect(namesFor(all, 'deploy nothing')).toEqual([]);
    expect(namesFor(all, 'the of and')).toEqual([]);
  });

  it('is also what is near in meaning: at most three that share no word, and none that has a pattern', () => {
    const others = ['a', 'b', 'c', 'd'].map((name) => engram(`plan-${name}`));
    const near = new Map([...others.map(({ name }, i) => [name, 0.4 - i / 10] as const), ['deploy', 0.5] as const]);
    const found = applicable([...all, ...others], { task: 'Review it', near });
    expect(found.map(({ engram: { name } }) => name)).toEqual(['review', 'plan-a', 'plan-b', 'plan-c']);
    expect(found[1]!.why).toContain('meaning');
  });

  it('says why', () => {
    expect(applicable(all, { task: 'code review' })[0]!.why).toContain('code, review');
  });
});

describe('a class of models', () => {
  const one = engram('one', { capability_class_min: 'standard', capability_class_max: 'large' });
  it.each([
    ['small', 'from standard'],
    ['standard', undefined],
    ['large', undefined],
    ['frontier', 'up to large'],
    [undefined, undefined],
  ] as const)('%s: %s', (modelClass, why) => {
    const refusal = refusalOf(one, modelClass);
    if (why === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toContain(why);
  });
});
