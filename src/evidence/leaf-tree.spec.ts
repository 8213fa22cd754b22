import { describe, expect, it } from 'vitest';
import { pathToRoot, rootOfLeaves } from './leaf-tree.js';
import { emptyRoot, leafHash, nodeHash, verifyInclusion } from './merkle.js';

const leavesOf = (count: number) => Array.from({ length: count }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)));

describe('the tree over a list of leaves', () => {
  it('has the roots of RFC 6962', () => {
    const [a, b, c] = leavesOf(3) as [Uint8Array, Uint8Array, Uint8Array];
    expect(rootOfLeaves([])).toEqual(emptyRoot());
    expect(rootOfLeaves([a])).toEqual(a);
    expect(rootOfLeaves([a, b, c])).toEqual(nodeHash(nodeHash(a, b), c));
  });

  it('has a path from each leaf to the root, whatever its size', () => {
    for (let size = 1; size <= 70; size++) {
      const leaves = leavesOf(size);
      const root = rootOfLeaves(leaves);
      leaves.forEach((leaf, index) => {
        const path = pathToRoot(leaves, index);
        expect([size, index, verifyInclusion(leaf, index, size, path, root)]).toEqual([size, index, true]);
        expect(verifyInclusion(leaf, (index + 1) % size, size, path, root)).toBe(size === 1);
      });
    }
  });
});
