import { randomInt } from 'node:crypto';

/** Whoever writes texts must not be able to choose terms that meet in one slot. */
const SEED = randomInt(2 ** 32);

/** Where each term stands in a list. A Map of them takes 42 bytes a term, measured; this 8 to 16. */
export class TermTable {
  /** Of each slot the place, counted from 1; 0 where it is empty. At least half are. */
  private readonly slots: Uint32Array;

  constructor(private readonly terms: readonly string[]) {
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(terms.length * 2 + 1)));
    terms.forEach((term, place) => (this.slots[this.slotOf(term)] = place + 1));
  }

  get byteSize(): number {
    return this.slots.byteLength;
  }

  placeOf(term: string): number | undefined {
    const place = this.slots[this.slotOf(term)]!;
    return place === 0 ? undefined : place - 1;
  }

  /** The slot that has the term, or the one that it would get. */
  private slotOf(term: string): number {
    const mask = this.slots.length - 1;
    let slot = hashOf(term) & mask;
    for (;;) {
      const place = this.slots[slot]!;
      if (place === 0 || this.terms[place - 1] === term) return slot;
      slot = (slot + 1) & mask;
    }
  }
}

function hashOf(term: string): number {
  let hash = SEED;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}
