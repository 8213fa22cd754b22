import { analyzerFor } from '../../../search/analysis.js';
import { countsOf } from '../../../search/counts.js';
import { DEFAULT_LANGUAGE } from '../../../search/languages.js';

/** What of a case is searched. */
export interface SearchedCase {
  task: string;
  context: string;
  action: string;
}

/** How many characters of a case are searched: one case must not hold up the others. */
const MAX_SEARCHED = 65_536;

/** The words of a case with their counts. */
export function wordsOf({ task, context, action }: SearchedCase): { terms: Map<string, number>; length: number } {
  const words = analyzerFor(DEFAULT_LANGUAGE).analyze([task, context, action].join('\n').slice(0, MAX_SEARCHED));
  return { terms: countsOf(words), length: words.length };
}

/** The words of a task that is to be done, with their counts. */
export const wordsOfTask = (task: string): Map<string, number> => countsOf(analyzerFor(DEFAULT_LANGUAGE).analyze(task));

/**
 * What was said of how it went, completed: success without a reward is worth 1, a failure 0 (D44). Where a reward alone
 * is given, half of it or more is a success; where nothing is said, it went well.
 */
export function resultOf({ success, reward }: { success?: boolean | undefined; reward?: number | undefined }): {
  success: boolean;
  reward: number;
} {
  const went = success ?? (reward === undefined || reward >= 0.5);
  return { success: went, reward: Math.fround(reward ?? (went ? 1 : 0)) };
}

/** What an old case is worth at least, and after how many days half of the rest is gone. */
export const AGE = { least: 0.5, halfLifeDays: 180 } as const;
