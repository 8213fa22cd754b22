import { expect, it } from 'vitest';
import { type Statement, standingsOf } from './standing.rules.js';

const one = (id: string, name: string, value: string): Statement => ({ id, name, value, content: `${name} ${value}` });
const known = (...list: Statement[]) => Map.groupBy(list, ({ name }) => name);

it('a candidate is new where nothing else has the name', () => {
  expect(standingsOf([one('a', 'n', 'x')], known(one('f', 'm', 'x')))).toEqual([
    { resolution: 'new', duplicateOf: null, conflictsWith: [] },
  ]);
});

it('a candidate is a duplicate of what is there, before it is one of the same list', () => {
  const [first, second] = standingsOf([one('a', 'n', 'x'), one('b', 'n', 'x')], known(one('f', 'n', 'X.')));
  expect([first!.duplicateOf, second!.duplicateOf]).toEqual(['f', 'f']);
  expect(standingsOf([one('a', 'n', 'x'), one('b', 'n', 'x')], known())[1]!.duplicateOf).toBe('a');
});

it('a candidate is in conflict with every other value under its name, there and in the list', () => {
  const standings = standingsOf([one('a', 'n', 'x'), one('b', 'n', 'y')], known(one('f', 'n', 'z')));
  expect(standings.map(({ resolution, conflictsWith }) => [resolution, conflictsWith])).toEqual([
    ['conflict', ['f', 'b']],
    ['conflict', ['f', 'a']],
  ]);
});
