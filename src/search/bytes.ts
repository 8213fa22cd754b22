/** Writes LEB128 varints, strings and raw bytes into a growing buffer. */
export class ByteWriter {
  private buffer: Buffer;
  private end = 0;

  constructor(capacity = 1024) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.end;
  }

  /** An unsigned integer below 2^32, seven bits a byte, low bits first. */
  varint(value: number): void {
    this.reserve(5);
    while (value > 127) {
      this.buffer[this.end++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.buffer[this.end++] = value;
  }

  /** UTF-8 with its length in bytes in front. */
  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.varint(bytes);
    this.reserve(bytes);
    this.end += this.buffer.write(value, this.end, 'utf8');
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  /** A copy of what was written, without the space behind it: it may be kept, and handed to another thread. */
  finish(): Uint8Array {
    return new Uint8Array(this.between());
  }

  /** What was written between two offsets, without a copy: valid until the next write. */
  between(start = 0, end = this.end): Uint8Array {
    return this.buffer.subarray(start, end);
  }

  private reserve(extra: number): void {
    if (this.end + extra <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.end + extra));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}

/** Reads what {@link ByteWriter} wrote. Reading past the end throws RangeError. */
export class ByteReader {
  /** Made for the first text: many readers read numbers alone. */
  private texts: Buffer | undefined;
  private at = 0;

  constructor(private readonly buffer: Uint8Array) {}

  get done(): boolean {
    return this.at === this.buffer.length;
  }

  /** How much was read. */
  get offset(): number {
    return this.at;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.buffer[this.at++];
      if (byte === undefined) break;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new RangeError('a varint runs past its end');
  }

  text(): string {
    const end = this.need(this.varint());
    this.texts ??= Buffer.from(this.buffer.buffer, this.buffer.byteOffset, this.buffer.length);
    const value = this.texts.toString('utf8', this.at, end);
    this.at = end;
    return value;
  }

  /** Goes past a text; it ends at {@link offset}. @returns where it begins */
  skipText(): number {
    const end = this.need(this.varint());
    const start = this.at;
    this.at = end;
    return start;
  }

  bytes(count: number): Uint8Array {
    const end = this.need(count);
    const value = this.buffer.subarray(this.at, end);
    this.at = end;
    return value;
  }

  private need(count: number): number {
    const end = this.at + count;
    if (end > this.buffer.length) throw new RangeError('a field runs past the end');
    return end;
  }
}
