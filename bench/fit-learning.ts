import { type FitModel, oddsOf } from '../src/search/fit.js';
import type { FitCase } from './fit-cases.js';
import { learnLogistic } from './logistic.js';
import { quantile } from './measures.js';

/** Of the questions of a collection that it answers, whole ones at all sizes together, so many may be answered none. */
const MAX_WRONG_NONE = 0.02;
/** Of the questions that are put to another collection, but for those of one word, so many may be answered strong. */
const MAX_WRONG_STRONG = 0.02;

/** Learns the odds, and sets the bounds so that none and strong are rarely wrong in the worst of the collections. */
export function learnFit(cases: readonly FitCase[]): FitModel {
  const found = cases.filter(({ evidence }) => evidence.features.length > 0);
  const counts = countBy(found, classOf);
  const model = learnLogistic(
    found.map((one) => ({
      features: bestOf(one),
      isPositive: one.kind === 'answered',
      // Every collection and either class counts alike.
      weight: found.length / counts.get(classOf(one))!,
    })),
  );
  const bounds = (groups: Iterable<FitCase[]>, share: number): number[] =>
    [...groups].map((group) => {
      const odds = group.map((one) => (one.evidence.features.length > 0 ? oddsOf(bestOf(one), model) : -Infinity));
      return quantile(
        odds.sort((a, b) => a - b),
        share,
      );
    });
  const answered = cases.filter(({ kind, words }) => kind === 'answered' && words === Infinity);
  const others = cases.filter(({ kind, words }) => kind === 'other' && words > 1);
  return {
    ...model,
    none: Math.min(...bounds(groupBy(answered, ({ collection }) => collection).values(), MAX_WRONG_NONE)),
    strong: Math.max(...bounds(groupBy(others, ({ collection }) => collection).values(), 1 - MAX_WRONG_STRONG)),
  };
}

const classOf = ({ collection, kind }: FitCase): string => `${collection} ${kind === 'answered'}`;

/** The features of the hit that speaks for the most: the first is the share of the query that it reaches. */
const bestOf = ({ evidence }: FitCase): number[] =>
  evidence.features.reduce((best, one) => (one[0]! > best[0]! ? one : best));

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}

const countBy = <T>(items: readonly T[], nameOf: (item: T) => string): Map<string, number> =>
  new Map([...groupBy(items, nameOf)].map(([name, group]) => [name, group.length]));
