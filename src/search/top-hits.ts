import type { Hit } from './collection.js';

/** Whether a hit ranks before another: higher score first, equal scores by chunk id. */
export function ranksBefore(a: { score: number; chunkId: string }, b: { score: number; chunkId: string }): boolean {
  return a.score > b.score || (a.score === b.score && a.chunkId < b.chunkId);
}

/** The best hits so far, best first. For the small limits of a search, insertion is cheaper than a heap. */
export class TopHits {
  /** The score a chunk must reach to enter; reaching it exactly may be enough, by its id. */
  threshold = -Infinity;
  private readonly hits: Hit[] = [];

  constructor(private readonly limit: number) {}

  offer(hit: Hit): void {
    const { hits } = this;
    if (hits.length === this.limit) {
      if (this.limit === 0 || !ranksBefore(hit, hits[this.limit - 1]!)) return;
      hits.pop();
    }
    let at = hits.length;
    while (at > 0 && ranksBefore(hit, hits[at - 1]!)) at--;
    hits.splice(at, 0, hit);
    if (hits.length === this.limit) this.threshold = hits[this.limit - 1]!.score;
  }

  /** The best of all that were offered, best first; nothing is offered afterwards. */
  finish(): Hit[] {
    return this.hits;
  }
}
