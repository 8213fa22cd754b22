import { hashOfUnits } from './table-hash.js';

const FIRST_SLOTS = 1 << 12;
const FIRST_UNITS = 1 << 15;

/**
 * Numbers the different stretches of texts in the order in which they were added, from 0. A stretch is found where it
 * stands in its text: no string is made of it, which in running text costs more than all else that is done with a word.
 */
export class SpanTable {
  /** Of each slot the number, counted from 1; 0 where it is empty. At least half are. */
  private slots: Uint32Array<ArrayBuffer>;
  /** By number. */
  private hashes: Uint32Array<ArrayBuffer>;
  /** The code units of all stretches laid end to end; by number where each begins, and where the last ends. */
  private units = new Uint16Array(FIRST_UNITS);
  private starts: Uint32Array<ArrayBuffer>;
  private count = 0;

  /** @param expected how many stretches it will have, where that is known */
  constructor(expected = FIRST_SLOTS / 2) {
    const slots = Math.max(FIRST_SLOTS, 2 ** Math.ceil(Math.log2(expected * 2)));
    this.slots = new Uint32Array(slots);
    this.hashes = new Uint32Array(slots / 2);
    this.starts = new Uint32Array(slots / 2 + 1);
  }

  get size(): number {
    return this.count;
  }

  /** @returns undefined where `text.slice(start, end)` was not added */
  find(text: string, start: number, end: number): number | undefined {
    const number = this.slots[this.slotOf(hashOfUnits(text, start, end), text, start, end)]!;
    return number === 0 ? undefined : number - 1;
  }

  /** @returns its number; of a stretch that is there already the one that it has */
  add(text: string, start: number, end: number): number {
    if (this.count === this.hashes.length) this.widen();
    const hash = hashOfUnits(text, start, end);
    const slot = this.slotOf(hash, text, start, end);
    if (this.slots[slot] !== 0) return this.slots[slot]! - 1;
    const from = this.starts[this.count]!;
    while (from + end - start > this.units.length) this.units = twice(this.units);
    for (let at = start; at < end; at++) this.units[from + at - start] = text.charCodeAt(at);
    this.hashes[this.count] = hash;
    this.slots[slot] = ++this.count;
    this.starts[this.count] = from + end - start;
    return this.count - 1;
  }

  clear(): void {
    this.slots = new Uint32Array(FIRST_SLOTS);
    this.hashes = new Uint32Array(FIRST_SLOTS / 2);
    this.units = new Uint16Array(FIRST_UNITS);
    this.starts = new Uint32Array(FIRST_SLOTS / 2 + 1);
    this.count = 0;
  }

  /** The slot that has the stretch, or the one that it would get. */
  private slotOf(hash: number, text: string, start: number, end: number): number {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const number = this.slots[slot]!;
      if (number === 0 || this.isAt(number - 1, text, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isAt(number: number, text: string, start: number, end: number): boolean {
    const from = this.starts[number]!;
    if (this.starts[number + 1]! - from !== end - start) return false;
    for (let at = start; at < end; at++) if (this.units[from + at - start] !== text.charCodeAt(at)) return false;
    return true;
  }

  private widen(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    this.hashes = twice(this.hashes);
    const starts = new Uint32Array(this.hashes.length + 1);
    starts.set(this.starts);
    this.starts = starts;
    const mask = this.slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let slot = this.hashes[number]! & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = number + 1;
    }
  }
}

function twice<T extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: T): T {
  const wider = new (array.constructor as new (length: number) => T)(array.length * 2);
  wider.set(array);
  return wider;
}
