import { describe, expect, it } from 'vitest';
import { blake3Digest } from './digest.js';
import { leadsToRoot, PassageTree } from './passage-tree.js';

const passages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    chunkId: `chk_${String(n)}`,
    contentHash: blake3Digest(String(n)),
    start: n * 10,
    end: n * 10 + 9,
  }));

describe('a tree of passages', () => {
  it.each([1, 2, 3, 7, 8, 255, 256, 257, 1000])('of %i leads from each to its root, and from no other', (size) => {
    const list = passages(size);
    const tree = new PassageTree(list);
    list.forEach((passage, index) => {
      const place = { index, size, path: tree.pathOf(index) };
      expect(leadsToRoot(passage, place, tree.root)).toBe(true);
      expect(leadsToRoot({ ...passage, end: passage.end + 1 }, place, tree.root)).toBe(false);
      expect(leadsToRoot(passage, { ...place, index: index + 1 }, tree.root)).toBe(false);
    });
  });

  it.each(['chunkId', 'contentHash', 'start', 'end'] as const)('has another root when a %s is another', (name) => {
    const list = passages(5);
    const changed = list.map((one, n) => (n === 3 ? { ...one, [name]: list[0]![name] } : one));
    expect(new PassageTree(changed).root).not.toBe(new PassageTree(list).root);
  });

  it('has another root when the order is another', () => {
    expect(new PassageTree(passages(4).reverse()).root).not.toBe(new PassageTree(passages(4)).root);
  });
});
