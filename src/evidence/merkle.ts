import { sha256 } from './sha256.js';

/** Leaves start to end - 1 of a log. Sizes and indices are integers below 2^53. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);

/** RFC 6962 section 2.1: SHA-256(0x00 || entry). */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256(LEAF, entry);
}

/** RFC 6962 section 2.1: SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE, left, right);
}

/** The root of the tree without leaves: SHA-256 of nothing. */
export function emptyRoot(): Uint8Array {
  return sha256();
}

/**
 * The subtrees whose hashes are the audit path of a leaf, from the leaf upwards (RFC 6962 section 2.1.1).
 * @throws RangeError when the leaf is not in a tree of that size.
 */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!isCount(index) || !isCount(size) || index >= size) {
    throw new RangeError(`no leaf ${String(index)} in a tree of ${String(size)}`);
  }
  const fromRoot: LeafRange[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + largestPowerBelow(end - start);
    if (index < middle) {
      fromRoot.push({ start: middle, end });
      end = middle;
    } else {
      fromRoot.push({ start, end: middle });
      start = middle;
    }
  }
  return fromRoot.reverse();
}

/**
 * The subtrees whose hashes prove that the tree of `second` leaves extends the one of `first` (RFC 6962 section 2.1.2).
 * Empty when they are equal, or when first is 0 and there is nothing to extend.
 */
export function consistencyRanges(first: number, second: number): LeafRange[] {
  if (!isCount(first) || !isCount(second) || first > second) {
    throw new RangeError(`a tree of ${String(second)} cannot extend one of ${String(first)}`);
  }
  if (first === 0 || first === second) return [];
  const fromRoot: LeafRange[] = [];
  let start = 0;
  let end = second;
  while (end !== first) {
    const middle = start + largestPowerBelow(end - start);
    if (first <= middle) {
      fromRoot.push({ start: middle, end });
      end = middle;
    } else {
      fromRoot.push({ start, end: middle });
      start = middle;
    }
  }
  // The verifier already knows the hash of the old tree when it is a whole left subtree.
  if (start > 0) fromRoot.push({ start, end });
  return fromRoot.reverse();
}

/** Recomputes the root from a leaf and its audit path (RFC 9162 section 2.1.3.2). */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  const made = rootOfInclusion(leaf, index, size, path);
  return made !== undefined && Buffer.compare(made, root) === 0;
}

/** The root that an audit path leads to; undefined where a tree of that size has no such path. */
export function rootOfInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!isCount(index) || !isCount(size) || index >= size) return undefined;
  let position = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (position % 2 === 1 || position === last) {
      hash = nodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) {
        position = position / 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : undefined;
}

/** A Merkle tree (RFC 9162, 2.1) by the number of its leaves and its root of 32 bytes. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Checks that `second` extends `first` without changing or removing a leaf (RFC 9162 section 2.1.4.2). */
export function verifyConsistency(first: TreeHead, second: TreeHead, path: readonly Uint8Array[]): boolean {
  if (!isCount(first.size) || !isCount(second.size) || first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && Buffer.compare(first.root, second.root) === 0;
  if (first.size === 0) return path.length === 0 && Buffer.compare(first.root, emptyRoot()) === 0;
  return foldConsistency(first, second, isPowerOfTwo(first.size) ? [first.root, ...path] : path);
}

function foldConsistency(first: TreeHead, second: TreeHead, path: readonly Uint8Array[]): boolean {
  const [seed, ...rest] = path;
  if (seed === undefined) return false;
  let position = first.size - 1;
  let last = second.size - 1;
  while (position % 2 === 1) {
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  let oldRoot = seed;
  let newRoot = seed;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      oldRoot = nodeHash(sibling, oldRoot);
      newRoot = nodeHash(sibling, newRoot);
      while (position % 2 === 0 && position !== 0) {
        position = position / 2;
        last = Math.floor(last / 2);
      }
    } else {
      newRoot = nodeHash(newRoot, sibling);
    }
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && Buffer.compare(oldRoot, first.root) === 0 && Buffer.compare(newRoot, second.root) === 0;
}

/** The largest power of two strictly below a count of at least 2. Not by shifts: they end at 32 bits. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function isPowerOfTwo(count: number): boolean {
  return largestPowerBelow(count + 1) === count;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
