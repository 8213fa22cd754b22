/**
 * Bounds the calls in flight, in number and in bytes. A call that finds no free slot waits its turn. One larger than
 * the maximum of bytes runs when nothing else is in flight.
 */
export class Slots {
  private taken = 0;
  private bytes = 0;
  private outside = 0;
  private readonly waiting: { bytes: number; go: () => void }[] = [];
  private readonly whoAwaitsTheEnd: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly maxBytes: number,
  ) {}

  /** How many are in flight. */
  get size(): number {
    return this.taken;
  }

  /** How many wait to be let in. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** How many bytes they have together. */
  get waitingBytes(): number {
    return this.outside;
  }

  /** Resolves when there is a free slot; the caller gives the same bytes back afterwards. */
  take(bytes: number): Promise<void> | undefined {
    if (this.waiting.length === 0 && this.hasCapacity(bytes)) return this.enter(bytes);
    this.outside += bytes;
    return new Promise((go) => this.waiting.push({ bytes, go }));
  }

  giveBack(bytes: number): void {
    this.taken -= 1;
    this.bytes -= bytes;
    for (let next = this.waiting[0]; next && this.hasCapacity(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.outside -= next.bytes;
      this.enter(next.bytes);
      next.go();
    }
    if (this.taken === 0) for (const go of this.whoAwaitsTheEnd.splice(0)) go();
  }

  /** Resolves when nothing is in flight. */
  whenEmpty(): Promise<void> | undefined {
    return this.taken === 0 ? undefined : new Promise((go) => this.whoAwaitsTheEnd.push(go));
  }

  private hasCapacity(bytes: number): boolean {
    return this.taken === 0 || (this.taken < this.most && this.bytes + bytes <= this.maxBytes);
  }

  private enter(bytes: number): undefined {
    this.taken += 1;
    this.bytes += bytes;
  }
}
