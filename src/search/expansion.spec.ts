import { expect, test } from 'vitest';
import { queryTerms } from './collection.js';
import {
  expand as expandBy,
  FEEDBACK_PASSAGES,
  type FeedbackPassage,
  feedbackTerms,
  passageTerms,
} from './expansion.js';

const query = queryTerms(['wing', 'flutter']);
const passage = (i: number, ...terms: string[]): FeedbackPassage => ({ ...passageTerms(terms), score: 10 - i / 2 });
const passages = Array.from({ length: FEEDBACK_PASSAGES }, (_, i) =>
  passage(i, 'wing', 'panel', ...(i < 3 ? ['divergence'] : []), ...(i < 2 ? ['rare'] : []), '1957', 'ab'),
);
const statistics = { chunkCount: 1000, averageLength: 5 };
const rare = () => 20;
const expand = (passages: FeedbackPassage[], frequencyOf: () => number) =>
  expandBy(query, { passages, candidates: feedbackTerms(query, passages) }, statistics, frequencyOf);

test('words on which three documents agree are added, lightly, never those of the query', () => {
  const added = expand(passages, rare);
  expect(added.map(({ term, expansion }) => [term, expansion])).toEqual([
    ['panel', true],
    ['divergence', true],
  ]);
  expect(added.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(0.2);
  expect(added[0]!.weight).toBeGreaterThan(added[1]!.weight);
});

test('a word weighs as much as its share of the passages, by their scores', () => {
  const [first] = feedbackTerms(query, [passage(0, 'panel', 'panel', 'wing'), ...passages.slice(1)]);
  const total = passages.reduce((sum, { score }) => sum + score, 0);
  const shares = passages.map(({ score, length }, i) => (score / total) * (i === 0 ? 2 / 3 : 1 / length));
  expect(first!.term).toBe('panel');
  expect(first!.weight).toBeCloseTo(shares.reduce((sum, share) => sum + share, 0));
});

test('it holds back when the first passage has the words of the query', () => {
  const answered = [passage(0, 'wing', 'flutter', 'panel'), ...passages.slice(1)];
  expect(expand(answered, rare)).toEqual([]);
});

test('it holds back with too few passages, and leaves out words that are everywhere', () => {
  expect(expand(passages.slice(1), rare)).toEqual([]);
  expect(expand(passages, () => 100)).toEqual([]);
});
