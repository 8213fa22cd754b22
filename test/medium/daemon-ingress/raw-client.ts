import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection on which bytes are sent as they are. */
export class RawClient {
  private received = Buffer.alloc(0);
  readonly closed: Promise<void>;

  private constructor(
    readonly socket: Socket,
    private wake: () => void = () => undefined,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      this.received = Buffer.concat([this.received, bytes]);
      this.wake();
    });
    for (const over of ['end', 'close']) socket.once(over, () => this.wake());
  }

  /** @param from another address of loopback */
  static async open(port: number, from?: string): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...(from ? { localAddress: from } : {}) });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawClient(socket);
  }

  send(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  get text(): string {
    return this.received.toString();
  }

  /** The next answer with its whole body. @throws Error when the connection ends before */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const found = this.take();
      if (found) return found;
      if (this.socket.closed || this.socket.readableEnded)
        throw new Error(`The connection ended with ${JSON.stringify(this.text)}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Everything until the server has ended the connection. */
  async rest(): Promise<string> {
    if (this.socket.readableEnded) this.socket.end();
    else this.socket.once('end', () => this.socket.end());
    await this.closed;
    return this.text;
  }

  end(): void {
    this.socket.destroy();
  }

  private take(): RawAnswer | undefined {
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [first = '', ...lines] = this.received.subarray(0, headEnd).toString().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(first.split(' ')[1]);
    const length = status === 100 ? 0 : Number(headers['content-length'] ?? 0);
    const end = headEnd + 4 + length;
    if (this.received.length < end) return undefined;
    const body = this.received.subarray(headEnd + 4, end).toString();
    this.received = this.received.subarray(end);
    return { status, headers, body };
  }
}

/** The head of a request. */
export const head = (address: string, ...headers: string[]): string =>
  `${[`${address} HTTP/1.1`, 'host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
