import type { VersionVector } from './sync-record.types.js';

/** How a version vector stands to another. */
export type VectorOrder = 'equal' | 'before' | 'after' | 'concurrent';

/** How many writes of an origin a vector knows of; origins may be called as members of every object are. */
const seenOf = (vector: VersionVector, origin: string): number => (Object.hasOwn(vector, origin) ? vector[origin]! : 0);

export function compareVectors(a: VersionVector, b: VersionVector): VectorOrder {
  let isLess = false;
  let isMore = false;
  for (const [origin, n] of Object.entries(a)) {
    const other = seenOf(b, origin);
    if (n < other) isLess = true;
    if (n > other) isMore = true;
  }
  for (const [origin, n] of Object.entries(b)) if (n > seenOf(a, origin)) isLess = true;
  if (isLess && isMore) return 'concurrent';
  if (isLess) return 'before';
  return isMore ? 'after' : 'equal';
}

/** What a write knows of that was made after all of these. */
export function joinVectors(vectors: readonly VersionVector[]): Record<string, number> {
  const joined: Record<string, number> = {};
  for (const vector of vectors)
    for (const [origin, n] of Object.entries(vector)) joined[origin] = Math.max(seenOf(joined, origin), n);
  return joined;
}

interface Mergeable {
  readonly digest: string;
  readonly vector: VersionVector;
}

/**
 * The versions of one record that stay when two sets of them meet: all that no other one knows of and goes beyond. The
 * greatest elements of a partial order, so that neither order nor repetition of merges matters.
 */
export function mergeVersions<T extends Mergeable>(known: readonly T[], incoming: readonly T[]): T[] {
  const all = new Map([...incoming, ...known].map((version) => [version.digest, version]));
  const versions = [...all.values()];
  return versions
    .filter((version) => !versions.some((other) => compareVectors(version.vector, other.vector) === 'before'))
    .sort((a, b) => (a.digest < b.digest ? -1 : Number(a.digest > b.digest)));
}

interface Rankable extends Mergeable {
  readonly isDeleted: boolean;
}

const sumOf = (vector: VersionVector): bigint => Object.values(vector).reduce((sum, n) => sum + BigInt(n), 0n);

function isBetter(a: Rankable, b: Rankable): boolean {
  if (a.isDeleted !== b.isDeleted) return a.isDeleted;
  const [left, right] = [sumOf(a.vector), sumOf(b.vector)];
  return left === right ? a.digest > b.digest : left > right;
}

/**
 * The version that reads show: a deletion before any content, then the one that knows of most, then the larger digest.
 */
export function winnerOf<T extends Rankable>(versions: readonly T[]): T {
  const [first, ...others] = versions;
  if (!first) throw new Error('a record without versions has none that wins');
  return others.reduce((best, version) => (isBetter(version, best) ? version : best), first);
}
