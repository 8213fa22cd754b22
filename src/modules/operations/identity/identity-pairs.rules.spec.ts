import { describe, expect, it } from 'vitest';
import { findPairs, inOrder, MAX_SHARED, stateOf, stateOfAll } from './identity-pairs.rules.js';
import { EVIDENCE_KINDS, type Identifier } from './identity.types.js';

const fact = (entity: string, key: string, value: string): Identifier => ({
  ...{ entity, source: 'fact', key, value },
  ref: `${entity}/${key}`,
});

describe('pairs', () => {
  it('are of two entities, with all that they have in common', () => {
    const { pairs, tooCommon } = findPairs(
      [
        ...[fact('b', 'email', 'x@y.example'), fact('a', 'email_address', 'x@Y.example')],
        ...[fact('a', 'github_id', '7'), fact('b', 'github_id', '7'), fact('c', 'github_id', '8')],
      ],
      EVIDENCE_KINDS,
    );
    expect([pairs.length, tooCommon]).toEqual([1, 0]);
    expect(pairs[0]).toMatchObject({ entity: 'a', other: 'b' });
    expect(
      pairs[0]!.evidence.map(({ kind, sides }) => [kind, sides.map(({ entity, key }) => `${entity} ${key}`)]),
    ).toEqual([
      ['email', ['a email_address', 'b email']],
      ['external_id', ['a github_id', 'b github_id']],
    ]);
    expect(JSON.stringify(pairs)).not.toContain('example');
  });

  it('are none of one entity with itself, of other kinds, or of what too many share', () => {
    const twice = [fact('a', 'email', 'x@y.example'), fact('a', 'email_address', 'x@y.example')];
    expect(findPairs(twice, EVIDENCE_KINDS).pairs).toEqual([]);
    const same = [fact('a', 'email', 'x@y.example'), fact('b', 'email', 'x@y.example')];
    expect(findPairs(same, ['git_author']).pairs).toEqual([]);
    const crowd = (size: number) => Array.from({ length: size }, (_, n) => fact(`e${n}`, 'email', 'info@y.example'));
    expect(findPairs(crowd(MAX_SHARED), EVIDENCE_KINDS).pairs).toHaveLength((MAX_SHARED * (MAX_SHARED - 1)) / 2);
    expect(findPairs(crowd(MAX_SHARED + 1), EVIDENCE_KINDS)).toEqual({ pairs: [], tooCommon: 1 });
  });

  it('are in the order of the bytes, as the database has it', () => {
    expect(inOrder('\u{1F600}', '\uFF5E')).toEqual(['\uFF5E', '\u{1F600}']);
  });
});

describe('the state of an evidence', () => {
  const [pair] = findPairs(
    [fact('a', 'email', 'x@y.example'), fact('b', 'email', 'x@y.example')],
    EVIDENCE_KINDS,
  ).pairs;
  const [evidence] = pair!.evidence;

  it('is found out of what its entities have now', () => {
    const a = fact('a', 'email', 'x@Y.example');
    expect(stateOf(evidence!, [a, fact('b', 'email', 'x@y.example')])).toBe('stands');
    expect(stateOf(evidence!, [a, fact('b', 'email', 'X@y.example')])).toBe('changed');
    expect(stateOf(evidence!, [a, fact('b', 'email', 'nothing')])).toBe('gone');
    expect(stateOf(evidence!, [a, fact('b', 'email_address', 'x@y.example')])).toBe('gone');
  });

  it('of all is the best there is', () => {
    expect(stateOfAll(['gone', 'changed', 'stands'])).toBe('stands');
    expect([stateOfAll(['gone', 'changed']), stateOfAll(['gone']), stateOfAll([])]).toEqual([
      'changed',
      'gone',
      'gone',
    ]);
  });
});
