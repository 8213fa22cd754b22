import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Random } from './random.js';

/** Ends the head of a request. Bodies of this product's requests are JSON without it. */
const REQUEST = ' HTTP/1.1\r\n';

export interface Cutting {
  random: Random;
  /** How often a connection is cut; none after that. */
  cuts: number;
  /** Bytes that pass between two cuts, about: either way, of all connections together. */
  bytes: number;
}

/**
 * A network in front of a daemon that loses connections: after a random byte of either way one side's connection is
 * reset, and the other one ends.
 */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  private left = 0;
  private counted = 0;
  private made = 0;

  private constructor(
    private readonly server: Server,
    private readonly cutting: Cutting | undefined,
  ) {
    this.draw();
  }

  /** @param url of the daemon @param cutting without it nothing is cut */
  static async start(url: string, cutting?: Cutting): Promise<CuttingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new CuttingProxy(server, cutting);
    server.on('connection', (client) => proxy.join(client, new URL(url)));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests that were sent through it. */
  get requests(): number {
    return this.counted;
  }

  get cuts(): number {
    return this.made;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, { hostname, port }: URL): void {
    const server = connect(Number(port), hostname);
    this.pass(client, server, (text) => (this.counted += text.split(REQUEST).length - 1));
    this.pass(server, client);
  }

  private pass(from: Socket, to: Socket, look: (text: string) => void = () => undefined): void {
    this.sockets.add(from);
    let tail = '';
    from.on('data', (bytes) => {
      const text = tail + bytes.toString('latin1');
      look(text);
      tail = text.slice(1 - REQUEST.length);
      this.send(bytes, from, to);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }

  private send(bytes: Buffer, from: Socket, to: Socket): void {
    if (this.left >= bytes.length) {
      this.left -= bytes.length;
      if (to.write(bytes)) return;
      from.pause();
      to.once('drain', () => from.resume());
      return;
    }
    to.write(bytes.subarray(0, this.left), () => {
      const [cut, other] = this.cutting!.random() < 0.5 ? [from, to] : [to, from];
      cut.resetAndDestroy();
      other.destroy();
    });
    from.removeAllListeners('data');
    this.made += 1;
    this.draw();
  }

  private draw(): void {
    const isCut = this.cutting !== undefined && this.made < this.cutting.cuts;
    this.left = isCut ? Math.floor(this.cutting.random() * 2 * this.cutting.bytes) : Infinity;
  }
}
