/** What is opened of a bundle before it is refused. */
export interface BundleLimits {
  /** Bytes after decompression, of all files of an archive together. */
  readonly bytes: number;
  /** Times that the decompressed bytes may be the compressed ones, once they exceed the floor. */
  readonly ratio: number;
  readonly ratioFloor: number;
  /** Files of an archive. */
  readonly entries: number;
}

/** The bytes are no bundle, or one that is broken off or damaged where only its container shows it. */
export class BundleUnreadable extends Error {
  override readonly name = 'BundleUnreadable';
}
/** It grows beyond the limits. */
export class BundleTooBig extends Error {
  override readonly name = 'BundleTooBig';
}

/**
 * Counts what comes out of a compressed stream. One for all files of an archive, so that many small ones do not pass
 * where a large one would not.
 */
export class CompressionRatioLimit {
  private seen = 0;

  constructor(
    private readonly limits: BundleLimits,
    private readonly compressed: number,
  ) {}

  /** @throws BundleTooBig */
  count(bytes: number): void {
    this.seen += bytes;
    const { limits, seen, compressed } = this;
    if (seen > limits.bytes) throw new BundleTooBig(`it has more than ${limits.bytes} bytes when it is decompressed`);
    if (seen > limits.ratioFloor && seen > limits.ratio * compressed)
      throw new BundleTooBig(`it grows more than ${limits.ratio} times when it is decompressed`);
  }
}
