import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [0, 'peer', undefined, '0 peers'],
  [1, 'peer', undefined, '1 peer'],
  [2, 'entity', 'entities', '2 entities'],
])('a count has its noun in the right number: %i', (count, one, many, said) => {
  expect(counted(count, one, many)).toBe(said);
});
