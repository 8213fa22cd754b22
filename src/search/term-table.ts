import { hashOfBytes } from './table-hash.js';

/** What a term is looked for by: a buffer of its own for each would take longer than the search. */
const wanted = Buffer.alloc(512);
/** Bytes of UTF-8 that a code unit takes at most. */
const BYTES_A_UNIT = 3;

/**
 * The terms of a segment where they stand in its header, as UTF-8, and a table to find them. A string is made of a term
 * only when it is asked for: of a million strings most never are, and each takes 42 bytes.
 */
export class TermTable {
  /**
   * Of each slot the place, counted from 1; 0 where it is empty. At least half are. Made when a term is first looked
   * for: a merge never does.
   */
  private slots: Uint32Array | undefined;

  /**
   * @param starts by place, where a term begins in the bytes
   * @param ends and where it ends
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly starts: Uint32Array,
    private readonly ends: Uint32Array,
  ) {}

  get size(): number {
    return this.starts.length;
  }

  /** Without the bytes that the terms stand in, and with the slots, whether or not they are made. */
  get byteSize(): number {
    return this.slotCount * Uint32Array.BYTES_PER_ELEMENT + this.starts.byteLength + this.ends.byteLength;
  }

  termAt(place: number): string {
    return this.bytes.toString('utf8', this.starts[place], this.ends[place]);
  }

  placeOf(term: string): number | undefined {
    const isShort = term.length * BYTES_A_UNIT <= wanted.length;
    const bytes = isShort ? wanted : Buffer.from(term);
    const slots = (this.slots ??= this.makeSlots());
    const place = slots[this.slotOf(slots, bytes, 0, isShort ? wanted.write(term) : bytes.length)]!;
    return place === 0 ? undefined : place - 1;
  }

  private get slotCount(): number {
    return 2 ** Math.ceil(Math.log2(this.size * 2 + 1));
  }

  private makeSlots(): Uint32Array {
    const slots = new Uint32Array(this.slotCount);
    for (let place = 0; place < this.size; place++)
      slots[this.slotOf(slots, this.bytes, this.starts[place]!, this.ends[place]!)] = place + 1;
    return slots;
  }

  /** The slot that has the term, or the one that it would get. */
  private slotOf(slots: Uint32Array, source: Uint8Array, start: number, end: number): number {
    const mask = slots.length - 1;
    let slot = hashOfBytes(source, start, end) & mask;
    for (;;) {
      const place = slots[slot]!;
      if (place === 0 || this.isAt(place - 1, source, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isAt(place: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[place]!;
    if (this.ends[place]! - from !== end - start) return false;
    for (let at = start; at < end; at++) if (this.bytes[from + at - start] !== source[at]) return false;
    return true;
  }
}
