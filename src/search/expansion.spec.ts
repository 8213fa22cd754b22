import { expect, test } from 'vitest';
import { queryTerms } from './collection.js';
import { expand, FEEDBACK_PASSAGES, type FeedbackPassage, feedbackTerms } from './expansion.js';

const query = queryTerms(['wing', 'flutter']);
const passage = (i: number, ...terms: string[]): FeedbackPassage => ({ documentId: `d${i}`, terms, score: 10 - i / 2 });
const passages = Array.from({ length: FEEDBACK_PASSAGES }, (_, i) =>
  passage(i, 'wing', 'panel', ...(i < 3 ? ['divergence'] : []), ...(i < 2 ? ['rare'] : []), '1957', 'ab'),
);
const statistics = { chunkCount: 1000, averageLength: 5 };
const rare = () => 20;

test('words on which three documents agree are added, lightly, never those of the query', () => {
  const added = expand(query, passages, statistics, rare);
  expect(added.map(({ term, expansion }) => [term, expansion])).toEqual([
    ['panel', true],
    ['divergence', true],
  ]);
  expect(added.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(0.2);
  expect(added[0]!.weight).toBeGreaterThan(added[1]!.weight);
});

test('passages of one document count as one voice', () => {
  const alone = passages.map((one) => ({ ...one, documentId: 'same' }));
  expect(feedbackTerms(query, alone)).toEqual([]);
});

test('it holds back when the first passage has the words of the query', () => {
  const answered = [passage(0, 'wing', 'flutter', 'panel'), ...passages.slice(1)];
  expect(expand(query, answered, statistics, rare)).toEqual([]);
});

test('it holds back with too few passages, and leaves out words that are everywhere', () => {
  expect(expand(query, passages.slice(1), statistics, rare)).toEqual([]);
  expect(expand(query, passages, statistics, () => 100)).toEqual([]);
});
