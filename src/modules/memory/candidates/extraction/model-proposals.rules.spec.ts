import { expect, it } from 'vitest';
import { readProposals } from './model-proposals.rules.js';

const TEXT = 'Well, tea is what Ada drinks.';
const good = { entity: 'person:Ada Lovelace', key: 'Drinks What', value: 'Tea', quote: 'tea is what Ada drinks' };
const read = (...memories: unknown[]) => readProposals(TEXT, JSON.stringify({ memories }));

it('takes what stands in the text, under short names', () => {
  expect(read(good)).toEqual({
    dropped: 0,
    proposals: [
      {
        entity: 'person:ada-lovelace',
        key: 'drinks_what',
        value: 'Tea',
        confidence: 0.5,
        by: 'model',
        start: 6,
        end: 28,
      },
    ],
  });
});

it.each<[string, unknown]>([
  ['a quote that does not stand in it', { ...good, quote: 'Tea is what Ada drinks' }],
  ['a value that the quote does not say', { ...good, value: 'coffee' }],
  ['an entity without words', { ...good, entity: '…' }],
  ['a confidence past 1', { ...good, confidence: 2 }],
  ['something else', null],
])('drops and counts %s', (_what, memory) => {
  const found = read(memory, good);
  expect([found!.dropped, found!.proposals.length]).toEqual([1, 1]);
});

it.each(['', 'no', '7', 'null', '[]', '{}', '{"memories": "x"}'])('reads no answer in %j', (content) => {
  expect(readProposals(TEXT, content)).toBeUndefined();
});
