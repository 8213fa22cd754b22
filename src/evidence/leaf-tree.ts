import { emptyRoot, inclusionRanges, nodeHash } from './merkle.js';

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
