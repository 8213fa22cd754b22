/** Counts requests in flight, and lets no more in than it may hold. */
export class ConcurrencyLimiter {
  private count = 0;

  /** @param most 0: any number */
  constructor(private readonly most: number) {}

  /** @returns false when it is full */
  enter(): boolean {
    if (this.most > 0 && this.count >= this.most) return false;
    this.count += 1;
    return true;
  }

  leave(): void {
    this.count -= 1;
  }

  get inside(): number {
    return this.count;
  }
}
