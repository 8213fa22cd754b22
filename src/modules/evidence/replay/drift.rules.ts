import { blake3Digest } from '../../../evidence/digest.js';
import type { RecordedSearch, ResolvedCitation, VisibleChunk } from '../../knowledge/citations/citations.types.js';
import { driftAt, type PassageNow } from '../../knowledge/citations/source-states.types.js';
import type { ContentFinding } from '../../knowledge/ingest/content.types.js';
import { placeOf } from '../../knowledge/retrieval/repeated-search.service.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import type { PlacedPassage } from './replay.types.js';

/** What there is now, as the tenant sees it. */
export interface Present {
  /** Of each citation. */
  passages: readonly PassageNow[];
  chunks: ReadonlyMap<string, VisibleChunk>;
  /** Of each citation: whether its text is what was ingested. */
  contents: readonly ContentFinding[];
  /** The recorded search, done again; null when none is recorded or it cannot be done. */
  ranking: readonly Passage[] | null;
}

/** Adds to each cited passage its place in the search, then and now, and whether the recorded passage is intact. */
export function placePassages(
  citations: readonly ResolvedCitation[],
  search: RecordedSearch | null,
  { passages, chunks, contents, ranking }: Present,
): PlacedPassage[] {
  return citations.map(({ chunk }, index) => {
    const now = passages[index]!;
    const before = search?.results.findIndex(({ chunkId }) => chunkId === chunk.chunkId) ?? -1;
    const recordedRank = before < 0 ? null : before + 1;
    const rank = recordedRank === null || ranking === null ? null : (placeOf(chunk, ranking)?.rank ?? null);
    return {
      ...now,
      drift: driftAt(now, ranking === null ? null : recordedRank, rank),
      recordedRank,
      rank,
      isSourceIntact: isIntact(chunk, chunks.get(chunk.chunkId), { ...now, isAsIngested: contents[index]!.ok }),
    };
  });
}

/**
 * By the receipt of its ingest, by the recorded passage, where it can be seen, and the one that has its text now. Of
 * another tenant's passage that can be seen no more nothing is said.
 */
function isIntact(
  recorded: VisibleChunk,
  seen: VisibleChunk | undefined,
  { state, standing, isAsIngested }: PassageNow & { isAsIngested: boolean },
): boolean | null {
  if (state === 'unknown') return false;
  const isSeen = seen?.ownerTenantId === recorded.ownerTenantId;
  if (!isAsIngested && (isSeen || standing !== null)) return false;
  if (!isSeen) return state === 'holds' ? true : null;
  return blake3Digest(seen.content) === recorded.contentHash;
}
