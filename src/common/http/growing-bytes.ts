const FIRST_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Bytes in one buffer that doubles: many small parts must cost neither an object each nor a copy of all before them.
 */
export class GrowingBytes {
  private bytes: Buffer = NOTHING;
  private used = 0;

  /**
   * @param most never more than these are pushed
   * @param isSecret nothing of them stays where they were
   */
  constructor(
    private readonly most: number,
    private readonly isSecret = false,
  ) {}

  get length(): number {
    return this.used;
  }

  /** @returns whether they were copied: the memory of a part that is all of them is used as it is */
  push(part: Uint8Array): boolean {
    // Most bodies arrive in one piece, which needs no copy.
    if (this.used === 0 && part.length === this.most) {
      this.bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
      this.used = part.length;
      return false;
    }
    const needed = this.used + part.length;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, 2 * this.bytes.length, FIRST_BYTES), this.most));
      this.bytes.copy(larger, 0, 0, this.used);
      this.free();
      this.bytes = larger;
    }
    this.bytes.set(part, this.used);
    this.used = needed;
    if (this.isSecret) part.fill(0);
    return true;
  }

  free(): void {
    if (this.isSecret) this.bytes.fill(0);
    freeMemory(this.bytes);
    this.bytes = NOTHING;
  }

  /** All of them. Nothing may be pushed afterwards. */
  get whole(): Buffer {
    return this.bytes.subarray(0, this.used);
  }
}

/**
 * Gives the memory of bytes back now, where they have it to themselves: as garbage, hundreds of megabytes of them may
 * lie about until the collector comes. Nothing may look at them afterwards.
 */
export function freeMemory({ buffer, byteOffset, length }: Buffer): void {
  if (length > 0 && byteOffset === 0 && length === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
