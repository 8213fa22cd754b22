import { blake3Digest, namedDigest } from '../../../evidence/digest.js';
import type { RecordedSearch, ResolvedCitation, VisibleChunk } from '../../knowledge/citations/citations.types.js';
import { documentKeyOf, type PresentDocument } from '../../knowledge/citations/present-documents.views.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import { DRIFT_CATEGORIES, type DriftCategory, type PassageState, type PlacedPassage } from './replay.types.js';

/** What there is now, as the tenant sees it. */
export interface Present {
  tenantId: string;
  documents: ReadonlyMap<string, PresentDocument>;
  chunks: ReadonlyMap<string, VisibleChunk>;
  /** The recorded search, done again; null when none is recorded or it cannot be done. */
  ranking: readonly Passage[] | null;
}

/**
 * Finds where each cited passage stands now. A passage is identified by its text: a new version of its document that
 * still has it changes nothing.
 */
export function placePassages(
  citations: readonly ResolvedCitation[],
  search: RecordedSearch | null,
  present: Present,
): PlacedPassage[] {
  return citations.map(({ chunk }) => {
    const document = present.documents.get(documentKeyOf(chunk));
    const recordedRank = rankIn(search?.results, ({ chunkId }) => chunkId === chunk.chunkId);
    return {
      state: stateOf(chunk, document, present.tenantId),
      currentVersion: document?.version ?? null,
      recordedRank,
      rank: recordedRank === null ? null : rankIn(present.ranking, (passage) => isSame(passage, chunk)),
      isSourceIntact: isIntact(chunk, present.chunks.get(chunk.chunkId)),
    };
  });
}

/**
 * For another tenant's document that is no longer visible, the result does not say whether it was deleted or is no
 * longer shared.
 */
function stateOf(chunk: VisibleChunk, document: PresentDocument | undefined, tenantId: string): PassageState {
  if (!document) return chunk.ownerTenantId === tenantId ? 'source_deleted' : 'access_lost';
  return document.hashes.has(chunk.contentHash.slice('blake3:'.length)) ? 'stands' : 'source_changed';
}

const isIntact = (recorded: VisibleChunk, now: VisibleChunk | undefined): boolean | null =>
  now === undefined || now.ownerTenantId !== recorded.ownerTenantId
    ? null
    : blake3Digest(now.content) === recorded.contentHash;

const isSame = (passage: Passage, chunk: VisibleChunk): boolean =>
  passage.ownerTenantId === chunk.ownerTenantId &&
  passage.corpusId === chunk.corpusId &&
  passage.docId === chunk.docId &&
  namedDigest('blake3', passage.contentHash) === chunk.contentHash;

function rankIn<T>(ranking: readonly T[] | null | undefined, isMeant: (one: T) => boolean): number | null {
  const index = ranking?.findIndex(isMeant) ?? -1;
  return index < 0 ? null : index + 1;
}

/** How one passage has drifted. Its place counts while it stands, and only where the search was done again. */
export function driftOf({ state, recordedRank, rank }: PlacedPassage, isRankedAgain: boolean): DriftCategory[] {
  if (state !== 'stands') return [state];
  return isRankedAgain && recordedRank !== null && rank !== recordedRank ? ['re_ranked'] : [];
}

/** Each category once, in the order of the list. */
export const categoriesOf = (drifts: readonly DriftCategory[]): DriftCategory[] =>
  DRIFT_CATEGORIES.filter((category) => drifts.includes(category));
