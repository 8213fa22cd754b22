import { expect, it } from 'vitest';
import { fitAnswer, type AnswerParts } from './agent-answer.js';

const item = (text: string) => ({ text, data: {} });
const words = (count: number, word = 'light ') => word.repeat(count).trim();
const parts: AnswerParts = { head: ['Found:'], items: [], itemsAs: 'results' };

it('counts what it leaves out, and names what shows it', async () => {
  const items = Array.from({ length: 30 }, (_, at) => item(`${at}: ${words(10)}`));
  const { text, data } = await fitAnswer({ ...parts, items }, 200);
  const { length } = data['results'] as object[];
  expect(length).toBeGreaterThan(5);
  expect(text.split('\n').at(-1)).toBe(`${30 - length} more were left out; raise token_budget`);
  expect((await fitAnswer({ ...parts, items }, 2000)).text).not.toContain('left out');
});

it('says of a thing that is cut how to see its end, and of the others that there are more', async () => {
  const items = [item(words(400)), item('Short.'), item('Short.')];
  const { text } = await fitAnswer({ ...parts, items }, 200);
  const ending = ['The end of it was left out; raise token_budget', '2 more were left out; raise token_budget'];
  expect(text.split('\n').slice(-2)).toEqual(ending);
  const paged = await fitAnswer({ ...parts, items, from: 0 }, 200);
  expect([paged.text, paged.data['next_cursor']]).toEqual([expect.stringContaining(ending[0]!), '1']);
});

it('names no place to go on from where nothing is shown: it would be the same one', async () => {
  const head = [words(190)];
  const { text, data } = await fitAnswer({ ...parts, head, items: [item(words(400))], from: 0 }, 200);
  expect([text, data]).toEqual([
    expect.stringMatching(/raise token_budget\]?$/),
    expect.not.objectContaining({ next_cursor: '0' }),
  ]);
});
