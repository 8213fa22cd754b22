import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Held {
  path: string;
  hasGone: boolean;
  release(): void;
}

/** A proxy of the real API for the tool service. It holds calls back until a test releases them. */
export class HoldingProxy {
  readonly held: Held[] = [];
  /** Calls that were held at once, at the most. */
  maxAtOnce = 0;
  /** Which are held, by method and path. */
  holds: (call: string) => boolean = () => false;
  private readonly server = createServer((incoming, outgoing) => this.receive(incoming, outgoing));

  private constructor(private readonly target: string) {}

  static async before(target: string): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Lets all that are held go on, and holds no more. */
  letAllGo(): void {
    this.holds = () => false;
    for (const one of this.held.splice(0)) one.release();
  }

  async close(): Promise<void> {
    this.letAllGo();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private receive(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const forward = () => this.forward(incoming, outgoing);
    const path = incoming.url ?? '';
    if (!this.holds(`${incoming.method} ${path}`)) return forward();
    const held: Held = { path, hasGone: false, release: forward };
    outgoing.once('close', () => (held.hasGone = true));
    this.held.push(held);
    this.maxAtOnce = Math.max(this.maxAtOnce, this.held.length);
  }

  private forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (outgoing.destroyed) return;
    const { method, headers } = incoming;
    const onward = request(this.target + incoming.url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }
}
