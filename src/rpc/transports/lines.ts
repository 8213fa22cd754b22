import { GrowingBytes } from '../../common/http/growing-bytes.js';

/** One line as it came, without its line feed; or that it was longer than a line may be, and is gone. */
export type Line = { bytes: Uint8Array } | { isTooLong: true };

const LINE_FEED = 0x0a;
const BLANKS = new Set([0x20, 0x09, 0x0d]);
const NOTHING = Buffer.alloc(0);

/**
 * Cuts bytes into lines (NDJSON: each ends with a line feed, the last one may go without). Lines of nothing but blanks
 * are left out. Of a line that is too long nothing is kept: it is passed over up to its line feed.
 */
export class LineSplitter {
  /** The beginning of a line whose end has not come yet. */
  private begun: GrowingBytes;
  private isPassingOver = false;

  /** @param maxBytes longest line, in bytes, without its line feed */
  constructor(private readonly maxBytes: number) {
    this.begun = new GrowingBytes(maxBytes);
  }

  /** @returns the lines that these bytes complete, each a view of them where it lies in one piece */
  *push(chunk: Uint8Array): Generator<Line> {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(LINE_FEED, from);
      const line = end < 0 ? this.begin(chunk.subarray(from)) : this.finish(chunk.subarray(from, end));
      if (line) yield line;
      if (end < 0) return;
      from = end + 1;
    }
  }

  /** @returns what came after the last line feed, if anything did */
  end(): Line | undefined {
    return this.finish(NOTHING);
  }

  private begin(part: Uint8Array): Line | undefined {
    if (this.isPassingOver) return undefined;
    if (this.begun.length + part.length <= this.maxBytes) return void this.begun.push(part);
    // Reported at once: the rest of the line may never end.
    this.isPassingOver = true;
    this.forget();
    return { isTooLong: true };
  }

  private finish(part: Uint8Array): Line | undefined {
    if (this.isPassingOver) {
      this.isPassingOver = false;
      return undefined;
    }
    const isTooLong = this.begun.length + part.length > this.maxBytes;
    if (this.begun.length > 0 && !isTooLong) this.begun.push(part);
    const bytes = this.begun.length > 0 ? this.begun.whole : part;
    this.forget();
    if (isTooLong) return { isTooLong };
    return bytes.every((byte) => BLANKS.has(byte)) ? undefined : { bytes };
  }

  private forget(): void {
    this.begun = new GrowingBytes(this.maxBytes);
  }
}
