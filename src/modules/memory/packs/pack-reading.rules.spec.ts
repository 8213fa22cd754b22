import { describe, expect, it } from 'vitest';
import type { PackFact, PackStep } from './pack-entries.dto.js';
import { checkCandidate, checkFact, checkSteps, mapTexts, Names, Principals, Versions } from './pack-reading.rules.js';
import { PrincipalNotYours } from './packs.problems.js';

describe('names', () => {
  it('stand once', () => {
    const names = new Names();
    names.take(['a', 1], 'x[0]');
    names.take(['a', 2], 'x[1]');
    expect(() => names.take(['a', 1], 'x[2]')).toThrow('x[2]: is there twice: x[0]');
  });
});

describe('principals', () => {
  const by = { principal: 'passport:ada', isAdmin: false };

  it('are mapped; only an admin scope writes for others', () => {
    const mine = new Principals(by, { old: 'passport:ada' }, ['old', 'other']);
    expect([mine.ownerOf('old', 'm'), mine.ownerOf('passport:ada', 'm'), mine.nameOf('x')]).toEqual([
      'passport:ada',
      'passport:ada',
      'x',
    ]);
    expect(() => mine.ownerOf('other', 'm')).toThrow(PrincipalNotYours);
    expect(() => mine.ownerOf('unlisted', 'm')).toThrow('m: must be one of');
    expect(new Principals({ ...by, isAdmin: true }, {}, ['other']).ownerOf('other', 'm')).toBe('other');
  });

  it('are texts, each once', () => {
    expect(() => new Principals(by, { old: 7 }, [])).toThrow('body.principal_map.old');
    expect(() => new Principals(by, {}, ['a', 'a'])).toThrow('body.pack.principals[1]');
  });
});

describe('facts', () => {
  it('under reserved names are refused, and owners of what is public', () => {
    for (const entity of ['__a', 'svc:a', 'layer:a', 'storybook:a', 'dossier:a'])
      expect(() => checkFact({ entity } as PackFact, 'f')).toThrow('f.entity');
    expect(() => checkFact({ entity: 'a', owner: 'b', private: false } as PackFact, 'f')).toThrow('f.owner');
  });

  it('of one name need times', () => {
    const one = new Versions();
    one.take(['a'], 'f[0]', true);
    one.take(['a'], 'f[1]', true);
    expect(() => one.take(['a'], 'f[2]', false)).toThrow('f[2].valid_from');
    const other = new Versions();
    other.take(['a'], 'f[0]', false);
    other.take(['b'], 'f[1]', false);
    expect(() => other.take(['a'], 'f[2]', true)).toThrow('f[0].valid_from');
  });
});

describe('steps', () => {
  const step = (node_id: string, parent_id: string | null, members = {}) =>
    ({ node_id, parent_id, status: 'ok', ts_end: 'x', ...members }) as PackStep;
  const check =
    (...steps: PackStep[]) =>
    () =>
      checkSteps({ session_id: 's', opened_by: 'b', opened_at: 'x', steps }, 's');

  it('come after their parents, each once, 63 below a root', () => {
    expect(check(step('a', null), step('b', 'a'))).not.toThrow();
    expect(check(step('b', 'a'))).toThrow('s.steps[0].parent_id');
    expect(check(step('a', null), step('a', null))).toThrow('s.steps[1].node_id');
    const deep = Array.from({ length: 65 }, (_, n) => step(`${n}`, n === 0 ? null : `${n - 1}`));
    expect(check(...deep)).toThrow('s.steps[64].parent_id');
    expect(check(step('a', null, { status: 'open' }))).toThrow('s.steps[0].ts_end');
  });
});

it('candidates have quotes of their form', () => {
  const candidate = {
    entity: 'a',
    key: 'b',
    value: 'c',
    confidence: 1,
    profile: 'default',
    resolution: 'new' as const,
  };
  expect(() => checkCandidate({ ...candidate, evidence: [{ quote: 1 }] }, 'c')).toThrow('c.evidence[0]');
  expect(() => checkCandidate({ ...candidate, extractor: { name: 'x' } as never }, 'c')).toThrow('c.extractor');
  expect(() => checkCandidate({ ...candidate, entity: '__x' }, 'c')).toThrow('c.entity');
});

it('texts are found wherever they stand, names excepted', () => {
  expect(mapTexts({ a: ['x', 1, null, { x: 'x' }] }, (text) => `${text}!`)).toEqual({
    a: ['x!', 1, null, { x: 'x!' }],
  });
});
