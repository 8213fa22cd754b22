import { analyzerFor } from '../../../../search/analysis.js';
import { type QueryTerm, queryTerms } from '../../../../search/collection.js';
import { DEFAULT_LANGUAGE } from '../../../../search/languages.js';
import type { ChunkInput } from '../../../../search/segment.js';

/** As much of a value is indexed, in UTF-16 units: one fact must not hold up the search that reads it first. */
const MAX_INDEXED_CHARACTERS = 65_536;

const CASE_CHANGE = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;
const IDENTIFIER = /[\p{L}\p{M}\p{N}]+/gu;
const BETWEEN_CASES = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** Beyond the greatest seq; ids of facts count down from here. */
const SEQ_END = Number.MAX_SAFE_INTEGER;
const ID_RADIX = 36;
const ID_LENGTH = SEQ_END.toString(ID_RADIX).length;

/** What of a fact is ranked. */
export interface FactText {
  seq: number;
  entity: string;
  key: string;
  value: string;
  /** UTC day on which it was stored. */
  day: number;
}

/** A fact as the engine indexes it: entity and key are its title, whose words count twice. */
export function toChunk({ seq, entity, key, value, day }: FactText): ChunkInput {
  const text = withParts(value.slice(0, MAX_INDEXED_CHARACTERS));
  return { chunkId: chunkIdOf(seq), title: withParts(`${entity}\n${key}`), text, day };
}

/** The terms a query is ranked by; none for one of stop words or signs alone. */
export function termsOf(query: string): QueryTerm[] {
  return queryTerms(analyzerFor(DEFAULT_LANGUAGE).analyze(withParts(query)));
}

/**
 * The parts of names in mixed case are indexed as words in addition to the name: editorTheme is found by "theme" too.
 * Other characters separate words anyway.
 */
function withParts(text: string): string {
  if (!CASE_CHANGE.test(text)) return text;
  const parts = (text.match(IDENTIFIER) ?? []).filter((word) => CASE_CHANGE.test(word));
  return `${text}\n${parts.map((word) => word.replace(BETWEEN_CASES, ' ')).join('\n')}`;
}

/** The engine orders equal scores by id: later facts have lesser ones. */
export function chunkIdOf(seq: number): string {
  return (SEQ_END - seq).toString(ID_RADIX).padStart(ID_LENGTH, '0');
}

export function seqOf(chunkId: string): number {
  return SEQ_END - Number.parseInt(chunkId, ID_RADIX);
}
