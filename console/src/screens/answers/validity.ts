import type { AnswerValidity } from '../../generated/daemon/types.gen.ts';

type State = AnswerValidity['overall'];

export const MEANINGS: Record<State, string> = {
  holds: 'Every passage that it cites stands in the current version of its document.',
  drifted: 'The text of a cited passage is gone or changed.',
  unavailable: 'A cited document was deleted, or may not be seen any more.',
  unknown: 'Not all could be checked. This says nothing against the answer, and nothing for it.',
  broken: 'The stored record is not what its signed receipt says: somebody changed it.',
};

export function toneOf(state: State): 'good' | 'warn' | 'bad' {
  if (state === 'holds') return 'good';
  return state === 'broken' ? 'bad' : 'warn';
}

/** `metadata_changed` in words. */
export const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
