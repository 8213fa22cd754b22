import type { CborMap } from './cbor.js';
import { type Digest, digestBytes } from './digest.js';
import { emptyRoot, inclusionRanges, nodeHash, verifyInclusion } from './merkle.js';

/** The root of the tree over these leaf hashes (RFC 6962 section 2.1). */
export const rootOfLeaves = (leaves: readonly Uint8Array[]): Uint8Array =>
  leaves.length === 0 ? emptyRoot() : rootOfRange(leaves, 0, leaves.length);

/** The hashes that lead from leaf `index` to the root, from the leaf upwards (RFC 6962 section 2.1.1). */
export const pathToRoot = (leaves: readonly Uint8Array[], index: number): Uint8Array[] =>
  inclusionRanges(index, leaves.length).map(({ start, end }) => rootOfRange(leaves, start, end));

function rootOfRange(leaves: readonly Uint8Array[], start: number, end: number): Uint8Array {
  const count = end - start;
  if (count === 1) return leaves[start]!;
  const left = start + 2 ** Math.ceil(Math.log2(count) - 1);
  return nodeHash(rootOfRange(leaves, start, left), rootOfRange(leaves, left, end));
}

/** The place of a leaf: its index from 0, and the audit path (RFC 6962 section 2.1.1), from the leaf upwards. */
export interface LeafPlace {
  readonly index: number;
  readonly path: readonly Digest[];
}

/** Whether the path leads from a leaf at that place in a tree of `size` leaves to the root. */
export function leafLeadsTo(root: string, leaf: Uint8Array, { index, path }: LeafPlace, size: number): boolean {
  const hashes = path.map((digest) => digestBytes('sha256', digest));
  return verifyInclusion(leaf, index, size, hashes, digestBytes('sha256', root));
}

/** Whether a leaf stands at that place in the batch of a receipt with this body. */
export const isInBatch = (leaf: Uint8Array, place: LeafPlace, { count, root }: CborMap): boolean =>
  typeof count === 'number' && typeof root === 'string' && leafLeadsTo(root, leaf, place, count);
