import { describe, expect, it } from 'vitest';
import { freeMemory, GrowingBytes } from './growing-bytes.js';

describe('GrowingBytes', () => {
  it('uses the memory of a part that is all of them, and says that it was not copied', () => {
    const part = Buffer.from(new Uint8Array([1, 2, 3]));
    const bytes = new GrowingBytes(3);
    expect(bytes.push(part)).toBe(false);
    expect(bytes.whole.buffer).toBe(part.buffer);
  });

  it('copies parts, whose memory may be freed then', () => {
    const bytes = new GrowingBytes(4);
    for (const value of [1, 2]) {
      const part = Buffer.from(new Uint8Array([value, value]).buffer);
      expect(bytes.push(part)).toBe(true);
      freeMemory(part);
    }
    expect([...bytes.whole]).toEqual([1, 1, 2, 2]);
  });

  it('leaves nothing of a secret where it was', () => {
    const part = Buffer.from([7, 7]);
    new GrowingBytes(3, true).push(part);
    expect([...part]).toEqual([0, 0]);
  });
});
