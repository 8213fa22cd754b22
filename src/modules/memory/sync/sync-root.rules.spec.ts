import { describe, expect, it } from 'vitest';
import { rootOfLeaves } from '../../../evidence/leaf-tree.js';
import { leafHash } from '../../../evidence/merkle.js';
import { sha256 } from '../../../evidence/sha256.js';
import { GrowingRoot } from './sync-root.rules.js';

const digests = Array.from({ length: 70 }, (_, place) => sha256(`${place}`));

describe('a root that grows', () => {
  it('is that of the tree over the same leaves, also when it went on from its text', () => {
    let growing = GrowingRoot.empty();
    for (const [place, digest] of digests.entries()) {
      growing = GrowingRoot.parse(growing.toText())!;
      growing.add(digest);
      const whole = rootOfLeaves(digests.slice(0, place + 1).map((one) => leafHash(one)));
      expect(growing.root).toBe(Buffer.from(whole).toString('hex'));
    }
    expect([growing.count, GrowingRoot.empty().root]).toEqual([70, sha256().toString('hex')]);
  });

  it('reads no other text', () => {
    for (const text of ['', '1:', '3:00', `0:${'a'.repeat(64)}`, `2:${'a'.repeat(128)}`, `1:${'A'.repeat(64)}`])
      expect([text, GrowingRoot.parse(text)]).toEqual([text, undefined]);
    expect(GrowingRoot.parse('0:')?.count).toBe(0);
  });
});
