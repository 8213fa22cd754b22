/**
 * Bounds what is under way at once, in number and in bytes. Who finds no room waits its turn. Something larger than all the bytes there may be goes
 * when nothing else is under way.
 */
export class Slots {
  private taken = 0;
  private bytes = 0;
  private outside = 0;
  private readonly waiting: { bytes: number; go: () => void }[] = [];
  private readonly whoAwaitsTheEnd: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly mostBytes: number,
  ) {}

  /** How many are under way. */
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

  /** Resolves when there is room; whoever was let in gives the same bytes back. */
  take(bytes: number): Promise<void> | undefined {
    if (this.waiting.length === 0 && this.hasRoom(bytes)) return this.enter(bytes);
    this.outside += bytes;
    return new Promise((go) => this.waiting.push({ bytes, go }));
  }

  giveBack(bytes: number): void {
    this.taken -= 1;
    this.bytes -= bytes;
    for (let next = this.waiting[0]; next && this.hasRoom(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.outside -= next.bytes;
      this.enter(next.bytes);
      next.go();
    }
    if (this.taken === 0) for (const go of this.whoAwaitsTheEnd.splice(0)) go();
  }

  /** Resolves when nothing is under way. */
  whenEmpty(): Promise<void> | undefined {
    return this.taken === 0 ? undefined : new Promise((go) => this.whoAwaitsTheEnd.push(go));
  }

  private hasRoom(bytes: number): boolean {
    return this.taken === 0 || (this.taken < this.most && this.bytes + bytes <= this.mostBytes);
  }

  private enter(bytes: number): undefined {
    this.taken += 1;
    this.bytes += bytes;
  }
}
