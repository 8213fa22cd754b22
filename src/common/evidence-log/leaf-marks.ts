/** Which leaves of the log a look has seen the record of: one bit a leaf. */
export class LeafMarks {
  /** @param bits of an earlier part of the same look */
  constructor(
    readonly size: number,
    readonly bits: Buffer = Buffer.alloc(Math.ceil(size / 8)),
  ) {}

  /** Leaves that came after the look began are left out. */
  mark(leaf: number): void {
    if (leaf < this.size) this.bits[leaf >> 3]! |= 1 << (leaf & 7);
  }

  markRange(start: number, count: number): void {
    for (let leaf = start; leaf < Math.min(this.size, start + count); leaf += 1) this.mark(leaf);
  }

  /** The leaves without a mark: the first ones, and how many there are. */
  unmarked(atMost: number): { first: number[]; count: number } {
    const first: number[] = [];
    let count = 0;
    for (let byte = 0; byte < this.bits.length; byte += 1) {
      if (this.bits[byte] === 0xff) continue;
      for (let leaf = byte * 8; leaf < Math.min(this.size, byte * 8 + 8); leaf += 1) {
        if ((this.bits[byte]! >> (leaf & 7)) & 1) continue;
        count += 1;
        if (first.length < atMost) first.push(leaf);
      }
    }
    return { first, count };
  }
}

/** Leaves as [first, count], in their order: how receipts name many of them. */
export type LeafRanges = readonly (readonly [number, number])[];

/** @param leaves in any order; one that comes twice counts once */
export function rangesOf(leaves: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const leaf of [...new Set(leaves)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[0] + last[1] === leaf) last[1] += 1;
    else ranges.push([leaf, 1]);
  }
  return ranges;
}
