import type { VisibleChunk } from './citations.types.js';

/**
 * Whether what rests on a passage still holds, from best to worst. It holds while the passage's text, by its digest,
 * stands in the newest version of its document that the tenant can see.
 * unknown: a passage of that digest is there, but its stored text has another one. drifted: the text is changed or gone
 * from the document. unavailable: the document is deleted or set aside, or the tenant can no longer see it.
 */
export const SOURCE_STATES = ['holds', 'unknown', 'drifted', 'unavailable'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** What is different now. The last two are reported and break nothing. */
const DRIFT_CATEGORIES = [
  'source_changed',
  'source_deleted',
  'quarantined',
  'access_lost',
  're_ranked',
  'metadata_changed',
] as const;
export type DriftCategory = (typeof DRIFT_CATEGORIES)[number];

/** A passage as it was when something came to rest on it. */
export type PassageThen = Pick<VisibleChunk, 'ownerTenantId' | 'corpusId' | 'docId' | 'contentHash'> & {
  /** Undefined where they were not recorded. */
  title?: string | null;
  url?: string | null;
};

/** What has become of a passage. */
export interface PassageNow {
  state: SourceState;
  /** Newest version of the document that the tenant sees; null where it sees none. */
  version: number | null;
  /** The passage that has the text now. */
  standing: VisibleChunk | null;
  drift: DriftCategory[];
}

/** The worst of them; `holds` of none. */
export const worstState = (states: readonly SourceState[]): SourceState =>
  SOURCE_STATES[Math.max(0, ...states.map((state) => SOURCE_STATES.indexOf(state)))]!;

/** Each category once, in the order of the list. */
export const categoriesOf = (drifts: readonly DriftCategory[]): DriftCategory[] =>
  DRIFT_CATEGORIES.filter((category) => drifts.includes(category));

/** With its place in a search that was done again, where it had one: another place counts while the passage holds. */
export const driftAt = ({ state, drift }: PassageNow, before: number | null, rank: number | null): DriftCategory[] =>
  state === 'holds' && before !== null && rank !== before ? [...drift, 're_ranked'] : drift;
