/**
 * Collects (term, ordinal, frequency) in chunk order and gives it back in term order. Flat columns: most terms have one
 * posting.
 */
export class Inverter {
  private readonly ids = new Map<string, number>();
  private readonly termIds: number[] = [];
  private readonly ordinals: number[] = [];
  private readonly frequencies: number[] = [];
  /** Of each term, its latest posting and how many it has. */
  private readonly latest: number[] = [];
  private readonly counts: number[] = [];

  /** Chunks come in ascending order of their ordinals. */
  add(ordinal: number, terms: string[]): void {
    for (const term of terms) {
      const id = this.idOf(term);
      const latest = this.latest[id]!;
      if (latest >= 0 && this.ordinals[latest] === ordinal) {
        this.frequencies[latest]!++;
        continue;
      }
      this.latest[id] = this.termIds.push(id) - 1;
      this.ordinals.push(ordinal);
      this.frequencies.push(1);
      this.counts[id]!++;
    }
  }

  /** Terms in ascending UTF-16, each with its postings by ordinal. The arrays are views of one: copy what is kept. */
  drain(take: (term: string, ordinals: Uint32Array, frequencies: Uint32Array) => void): void {
    const { ordinals, frequencies, ends } = this.byTerm();
    for (const term of [...this.ids.keys()].sort()) {
      const id = this.ids.get(term)!;
      const start = ends[id]! - this.counts[id]!;
      take(term, ordinals.subarray(start, ends[id]), frequencies.subarray(start, ends[id]));
    }
  }

  private idOf(term: string): number {
    const known = this.ids.get(term);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(term, id);
    this.latest.push(-1);
    this.counts.push(0);
    return id;
  }

  /** The postings by term (a counting sort), in chunk order within one, and where each term's end. */
  private byTerm(): { ordinals: Uint32Array; frequencies: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(this.counts.length);
    for (let id = 1; id < ends.length; id++) ends[id] = ends[id - 1]! + this.counts[id - 1]!;
    const ordinals = new Uint32Array(this.termIds.length);
    const frequencies = new Uint32Array(this.termIds.length);
    this.termIds.forEach((id, posting) => {
      const place = ends[id]!++;
      ordinals[place] = this.ordinals[posting]!;
      frequencies[place] = this.frequencies[posting]!;
    });
    return { ordinals, frequencies, ends };
  }
}
