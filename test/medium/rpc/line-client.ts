import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';

/** One JSON-RPC call as a line, without its line feed. */
export const line = (id: unknown, method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** A client of POST /stream that controls every byte: it sends and reads on demand alone. */
export class LineClient {
  /** The head of the answer. */
  readonly head: Promise<IncomingMessage>;
  private readonly request: ClientRequest;
  private readonly lines: AsyncGenerator<string>;

  constructor(url: string, headers: Record<string, string>) {
    this.request = request(`${url}/stream`, {
      method: 'POST',
      // A connection of its own: one that is used again may be closed under the first line.
      agent: false,
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });
    this.request.on('error', () => undefined);
    this.request.flushHeaders();
    this.head = once(this.request, 'response').then(([response]) => response as IncomingMessage);
    this.head.catch(() => undefined);
    this.lines = linesOf(this.head);
  }

  /** Sends each as a line. */
  send(...lines: string[]): this {
    for (const one of lines) this.request.write(`${one}\n`);
    return this;
  }

  write(bytes: string | Uint8Array): this {
    this.request.write(bytes);
    return this;
  }

  end(): this {
    this.request.end();
    return this;
  }

  /** Bytes that were sent and are not on their way yet. */
  get unsentBytes(): number {
    return this.request.writableLength;
  }

  /** The next answer; undefined at the end of the stream. */
  async next(): Promise<any> {
    const { value, done } = await this.lines.next();
    return done ? undefined : JSON.parse(value);
  }

  /** All answers to the end of the stream. */
  async rest(): Promise<any[]> {
    const answers: any[] = [];
    for (let answer = await this.next(); answer !== undefined; answer = await this.next()) answers.push(answer);
    return answers;
  }

  destroy(): void {
    this.request.destroy();
  }
}

/** A stream that ends without its last line feed, or breaks off, fails. */
async function* linesOf(head: Promise<IncomingMessage>): AsyncGenerator<string> {
  let begun = '';
  for await (const chunk of (await head).setEncoding('utf8')) {
    const [first, ...others] = (chunk as string).split('\n');
    begun += first;
    for (const other of others) {
      yield begun;
      begun = other;
    }
  }
  if (begun !== '') throw new Error(`The stream ended within a line: ${begun}`);
}
