import type { PassageNow } from '../../knowledge/citations/source-states.types.js';
import { FACT_SOURCE_KINDS, type FactSource, type FactSourceNow, type FactSourceState } from './fact-sources.types.js';

/** What is found of a source when its fact is read. */
export interface SeenSource extends FactSource {
  /** Of a fact: whether it is there, and which is the current one of its entity and key. */
  fact_found: boolean;
  current_fact_id: string | null;
  /** Of an answer: its newest version. */
  answer_version: number | null;
  /** Of a document: the digest of its text. */
  text_digest: string | null;
  /** Of a passage: the one at its place in the newest version of the document. */
  passage_there: string | null;
}

/** Of all that an id names, what is meant: the kinds in their order. */
export const chosenSource = (found: readonly FactSource[]): FactSource | undefined =>
  [...found].sort((a, b) => FACT_SOURCE_KINDS.indexOf(a.kind) - FACT_SOURCE_KINDS.indexOf(b.kind))[0];

/** @param passage of a passage, what has become of it */
export function sourceNow(seen: SeenSource, passage?: PassageNow): FactSourceNow {
  const { id, kind } = seen;
  const now = placeNow(seen, passage);
  const state = stateNow(seen, passage);
  return {
    id,
    kind,
    state,
    ...(now === null || now === id || (state === 'holds' && kind === 'fact') || state === 'gone'
      ? {}
      : { new_id: now }),
  };
}

function stateNow(seen: SeenSource, passage: PassageNow | undefined): FactSourceState {
  switch (seen.kind) {
    case 'receipt':
      return 'holds';
    case 'fact':
      return changedUnless(seen.fact_found, seen.current_fact_id === seen.id.toLowerCase());
    case 'answer':
      return changedUnless(seen.answer_version !== null, seen.answer_version === seen.version);
    case 'document':
      return changedUnless(seen.text_digest !== null, seen.text_digest === seen.digest);
    case 'passage':
      return changedUnless(passage?.state !== 'unavailable', passage?.state === 'holds');
  }
}

const changedUnless = (isThere: boolean, isSame: boolean): FactSourceState => {
  if (!isThere) return 'gone';
  return isSame ? 'holds' : 'changed';
};

function placeNow(seen: SeenSource, passage: PassageNow | undefined): string | null {
  if (seen.kind === 'fact') return seen.current_fact_id;
  return seen.kind === 'passage' ? (passage?.standing?.chunkId ?? seen.passage_there) : null;
}
