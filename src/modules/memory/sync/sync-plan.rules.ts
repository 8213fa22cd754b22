import { isPinned } from './sync-ids.rules.js';
import { joinVectors, mergeVersions, winnerOf } from './sync-merge.rules.js';
import type {
  IncomingVersion,
  KeptVersion,
  LocalState,
  RecordCollection,
  SyncContent,
  SyncVersion,
  Verdict,
  VersionState,
} from './sync-record.types.js';
import { MAX_ORIGINS } from './sync-versions.rules.js';

/** Collections whose tables overwrite: a hold keeps their content from being replaced, as by local writers. */
const OVERWRITTEN: ReadonlySet<RecordCollection> = new Set(['edges', 'relations', 'cases']);

/** A record as it is here. */
export interface RecordBefore {
  readonly kept: readonly KeptVersion[];
  readonly local: LocalState;
}

export interface PlannedVersion extends SyncVersion {
  readonly names: readonly string[];
  readonly state: VersionState;
  /** Not kept before. */
  readonly isNew: boolean;
}

/** What merging versions into a record comes to. Nothing of it is done yet. */
export interface RecordPlan {
  readonly key: string;
  readonly target: RecordCollection;
  readonly parts: readonly string[];
  /** All that are alive afterwards. */
  readonly versions: readonly PlannedVersion[];
  /** Digests of those that are not any more. */
  readonly dropped: readonly string[];
  readonly winner: PlannedVersion;
  readonly write: 'none' | 'store' | 'delete';
  readonly isReplaced: boolean;
  /** By the digests of what came in. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly isChanged: boolean;
}

/** What keeps a winner from being shown. */
export interface Keeping {
  /** The prefixes of each active hold. */
  readonly holds: readonly (readonly string[])[];
  /** Holds that an open incident placed: they are not released. */
  readonly unreleasable: ReadonlySet<string>;
}

/** Versions of one record that may be alive at once: more are no conflict that anybody solves. */
export const MAX_ALIVE = 64;
export const CROWDED = `the record would have more than ${MAX_ALIVE} versions; solve the conflict first`;

/** What a hold is placed with. */
const PLACED = ['entity_prefixes', 'placed_by', 'reason'] as const;

/**
 * Why versions of one record are not merged into what is here.
 * @param origin who writes here: the next write of the record names it, and all that the versions name
 */
export function findMergeFault(
  { kept, local }: RecordBefore,
  incoming: readonly IncomingVersion[],
  origin: string,
): string | null {
  const known = new Set(kept.map(({ digest }) => digest));
  const alive = mergeVersions<KeptVersion | IncomingVersion>(kept, incoming);
  if (alive.every(({ digest }) => known.has(digest))) return null;
  if (alive.length > MAX_ALIVE) return CROWDED;
  const named = Object.keys({ ...joinVectors(alive.map(({ vector }) => vector)), [origin]: 0 });
  if (named.length > MAX_ORIGINS)
    return `the next write of the record here would name more than ${MAX_ORIGINS} origins, which no peer takes`;
  const isOther = ({ target, digest, content }: IncomingVersion) =>
    target === 'holds' && !known.has(digest) && local.kind === 'present' && !isPlacedAlike(local.content, content);
  if (incoming.some(isOther)) return 'it is not as the hold was placed here, of which nothing changes but its release';
  return null;
}

function isPlacedAlike(here: SyncContent, came: SyncContent | null): boolean {
  const isAlike = PLACED.every((member) => JSON.stringify(here[member]) === JSON.stringify(came?.[member]));
  return isAlike && Date.parse(here['placed_at'] as string) === Date.parse(came?.['placed_at'] as string);
}

export const hasConflict = (versions: readonly SyncVersion[]): boolean =>
  new Set(versions.map(({ contentDigest }) => contentDigest)).size > 1;

const localDigestOf = ({ kept, local }: RecordBefore): string | null =>
  local.kind === 'present' ? local.digest : (kept[0]?.localDigest ?? null);

/** Merges versions of one record, verified and within reach, into what is here. */
export function planRecord(before: RecordBefore, incoming: readonly IncomingVersion[], keeping: Keeping): RecordPlan {
  const { kept } = before;
  const alive = mergeVersions<KeptVersion | IncomingVersion>(kept, incoming);
  const best = winnerOf(alive);
  const localDigest = localDigestOf(before);
  const differs = best.contentDigest !== localDigest;
  const isHeld = differs && isKept(before, best, keeping);
  const known = new Set(kept.map(({ digest }) => digest));
  const shown = isHeld ? localDigest : best.contentDigest;
  const versions = alive.map((version) => ({
    ...version,
    state: stateOf(version, { best, isHeld, shown }),
    isNew: !known.has(version.digest),
  }));
  const living = new Set(alive.map(({ digest }) => digest));
  return {
    ...{ key: best.key, target: best.target, parts: best.parts, versions },
    dropped: [...known].filter((digest) => !living.has(digest)),
    winner: versions.find(({ digest }) => digest === best.digest)!,
    write: !differs || isHeld || isDone(before, best) ? 'none' : best.isDeleted ? 'delete' : 'store',
    isReplaced: localDigest !== null,
    verdicts: new Map(
      incoming.map((version) => [version.digest, verdictOf(version, { known, living, best, isHeld, alive })]),
    ),
    isChanged: versions.some(({ isNew }) => isNew),
  };
}

function stateOf(
  version: SyncVersion,
  { best, isHeld, shown }: { best: SyncVersion; isHeld: boolean; shown: string | null },
): VersionState {
  if (isHeld && version.contentDigest === best.contentDigest) return 'held';
  return version.contentDigest === shown ? 'applied' : 'conflict';
}

/** A hold changes once, from active to released; what else its content says cannot be brought to the table. */
function isDone({ local }: RecordBefore, best: KeptVersion | IncomingVersion): boolean {
  if (best.target !== 'holds' || local.kind !== 'present') return false;
  return isReleased(local.content) || !('content' in best) || !isReleased(best.content);
}

export const isReleased = (hold: SyncContent | null): boolean => typeof hold?.['released_at'] === 'string';

function isKept(before: RecordBefore, best: KeptVersion | IncomingVersion, { holds, unreleasable }: Keeping): boolean {
  const { target, parts } = best;
  if (target === 'holds') return unreleasable.has(parts[0]!);
  const isLoss = best.isDeleted || (OVERWRITTEN.has(target) && localDigestOf(before) !== null);
  if (!isLoss) return false;
  return before.local.kind === 'withheld' || isPinned(best, holds);
}

interface Outcome {
  known: ReadonlySet<string>;
  living: ReadonlySet<string>;
  best: SyncVersion;
  isHeld: boolean;
  alive: readonly SyncVersion[];
}

function verdictOf({ digest, isDeleted }: SyncVersion, { known, living, best, isHeld, alive }: Outcome): Verdict {
  if (known.has(digest) || !living.has(digest)) return 'skip_same';
  if (isHeld && digest === best.digest) return 'refused_hold';
  if (isDeleted) return isHeld ? 'refused_hold' : 'tombstone';
  if (hasConflict(alive)) return 'conflict_kept';
  return isHeld ? 'refused_hold' : 'apply';
}
