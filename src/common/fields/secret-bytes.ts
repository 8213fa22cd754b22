import { inspect } from 'node:util';

/**
 * Text of a request that must leave no trace: its bytes, of which no string is made. They are overwritten with zeros
 * when they are no longer needed, at the latest when the request is over.
 */
export class SecretBytes {
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length;
  }

  /** The bytes, for as long as `work` runs; they are overwritten after it. */
  spend<T>(work: (bytes: Buffer) => T): T {
    try {
      return work(this.bytes);
    } finally {
      this.erase();
    }
  }

  erase(): void {
    this.bytes.fill(0);
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
