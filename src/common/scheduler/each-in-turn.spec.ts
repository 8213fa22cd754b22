import { expect, it } from 'vitest';
import { eachInTurn } from './each-in-turn.js';

/** Which had their turn, where these fail so. */
async function turnsOf(failures: Record<string, Error>): Promise<{ turns: string[]; thrown: unknown }> {
  const turns: string[] = [];
  const thrown = await eachInTurn(['a', 'b', 'c'], async (one) => {
    turns.push(one);
    if (failures[one]) throw failures[one];
  }).catch((error: unknown) => error);
  return { turns, thrown };
}

it('has each take its turn whatever becomes of those before it, and throws what failed first', async () => {
  const [first, second] = [new Error('first'), Object.assign(new Error('too long'), { code: '57014' })];
  expect(await turnsOf({ a: first, b: second })).toEqual({ turns: ['a', 'b', 'c'], thrown: first });
  expect(await turnsOf({ b: second })).toEqual({ turns: ['a', 'b', 'c'], thrown: second });
  expect(await turnsOf({})).toEqual({ turns: ['a', 'b', 'c'], thrown: undefined });
});

it('ends at once where the database is away', async () => {
  const away = Object.assign(new Error('away'), { code: '57P01' });
  expect(await turnsOf({ a: away })).toEqual({ turns: ['a'], thrown: away });
});

it('puts who has more to do behind the others', async () => {
  const left = new Map([
    ['a', 3],
    ['b', 1],
    ['c', 2],
  ]);
  const turns: string[] = [];
  await eachInTurn([...left.keys()], async (one) => {
    turns.push(one);
    left.set(one, left.get(one)! - 1);
    return left.get(one)! > 0;
  });
  expect(turns.join('')).toBe('abcaca');
});
