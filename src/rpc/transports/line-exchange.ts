import type { Readable, Writable } from 'node:stream';
import { LineSplitter, type Line } from './lines.js';
import { Slots } from './slots.js';

export interface LineExchangeOptions {
  input: Readable;
  output: Writable;
  /** Longest line that is accepted, and maximum of bytes of lines in flight. */
  maxLineBytes: number;
  /** Maximum of lines in flight. */
  maxAtOnce: number;
  /** What is written for a line, in one line; undefined: nothing. `index` counts from 0. */
  answer(line: Line, index: number): Promise<string | undefined>;
  /** What is written for a line in whose place nothing could be answered. Records why, and must not throw. */
  failed(error: unknown, line: Line): string | undefined;
  /** Awaited before each line but the first. */
  beforeNext?(): Promise<void>;
}

/**
 * Lines in, answers out as they finish. A line is in flight until its answer is written and the output buffer has
 * space again; while too many are, the input is not read. So input from a client that does not read its answers soon
 * stops too, and the client holds no more memory than that.
 */
export class LineExchange {
  private readonly slots: Slots;
  private hasStopped = false;
  private calls = 0;
  private count = 0;
  private wakeReader?: () => void;
  private drained?: Promise<void>;
  /** When a byte last came in or went out, by performance.now(). */
  lastActiveAt = performance.now();

  constructor(private readonly options: LineExchangeOptions) {
    this.slots = new Slots(options.maxAtOnce, options.maxLineBytes);
  }

  /** Lines that are not answered yet. */
  get underWay(): number {
    return this.calls;
  }

  /** Whether an answer waits for the other side to read. */
  get isBlocked(): boolean {
    return this.drained !== undefined;
  }

  /**
   * Resolves when the input has ended, or was stopped, and every answer is written. Never rejects: an input that breaks
   * off has ended.
   */
  async run(): Promise<void> {
    const { input } = this.options;
    const wake = () => this.wakeReader?.();
    const events = ['readable', 'end', 'close', 'error'];
    for (const event of events) input.on(event, wake);
    await this.takeLines();
    for (const event of events) if (event !== 'error') input.off(event, wake);
    await this.slots.whenEmpty();
  }

  /** Takes no further line. */
  stop(): void {
    this.hasStopped = true;
    this.wakeReader?.();
  }

  /** Writes a line, given without its line feed. Resolves when the output takes more, or is gone. */
  async write(text: string): Promise<void> {
    const { output } = this.options;
    // An HTTP response says that it is writable when it is not any more.
    if (output.destroyed || output.writableEnded) return;
    if (output.write(`${text}\n`) || output.destroyed) return;
    this.drained ??= new Promise<void>((resolve) => {
      const done = () => {
        output.off('drain', done).off('close', done);
        this.drained = undefined;
        this.lastActiveAt = performance.now();
        resolve();
      };
      output.on('drain', done).on('close', done);
    });
    await this.drained;
  }

  private async takeLines(): Promise<void> {
    const { input, maxLineBytes } = this.options;
    const splitter = new LineSplitter(maxLineBytes);
    for (;;) {
      const chunk = await this.nextChunk();
      if (!chunk) break;
      this.lastActiveAt = performance.now();
      for (const line of splitter.push(chunk)) if (!(await this.take(line))) return;
    }
    // What an input that broke off left behind is no line.
    const last = input.readableEnded ? splitter.end() : undefined;
    if (last) await this.take(last);
  }

  private async nextChunk(): Promise<Uint8Array | undefined> {
    const { input } = this.options;
    while (!this.hasStopped) {
      const chunk = input.read() as Uint8Array | null;
      if (chunk) return chunk;
      if (input.readableEnded || input.destroyed) return undefined;
      await new Promise<void>((wake) => (this.wakeReader = wake));
    }
    return undefined;
  }

  /** @returns false when no more are taken */
  private async take(line: Line): Promise<boolean> {
    const bytes = 'bytes' in line ? line.bytes.length : 0;
    if (this.count > 0) await this.options.beforeNext?.();
    await this.slots.take(bytes);
    // To whom nothing can be answered, nothing more is done.
    if (this.hasStopped || this.options.output.destroyed) {
      this.slots.giveBack(bytes);
      return false;
    }
    void this.answer(line).finally(() => this.slots.giveBack(bytes));
    return true;
  }

  private async answer(line: Line): Promise<void> {
    const index = this.count++;
    this.calls += 1;
    const text = await this.options
      .answer(line, index)
      .catch((error: unknown) => this.options.failed(error, line))
      .finally(() => (this.calls -= 1));
    this.lastActiveAt = performance.now();
    if (text !== undefined) await this.write(text);
  }
}
