import { createServer, request as ask, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Changes the JSON of an answer. @returns what is answered in its place */
export type Alter = (body: any) => unknown;

/** Between a daemon and its peer: it may change what the peer answers, and does something before a request passes. */
export class AlteringProxy {
  private readonly alters = new Map<string, Alter>();
  private readonly doings = new Map<string, () => Promise<void>>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(target: string): Promise<AlteringProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new AlteringProxy(server, new URL(target));
    server.on('request', (request: IncomingMessage, response) => {
      proxy.pass(request).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        () => response.destroy(),
      );
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers to paths with this part, until another alteration; none: as they are. */
  alter(part: string, alter?: Alter): void {
    this.alters.clear();
    if (alter) this.alters.set(part, alter);
  }

  /** Before the next request to a path with this part. */
  once(part: string, doing: () => Promise<void>): void {
    this.doings.set(part, doing);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage) {
    const url = request.url!;
    const sent = await buffer(request);
    for (const [part, doing] of this.doings)
      if (url.includes(part)) {
        this.doings.delete(part);
        await doing();
      }
    const { status, headers, body } = await this.forward(request, sent);
    const [, alter] = [...this.alters].find(([part]) => url.includes(part)) ?? [];
    const said = alter ? Buffer.from(JSON.stringify(alter(JSON.parse(body.toString('utf8'))))) : body;
    const { 'content-length': _, 'transfer-encoding': __, ...rest } = headers;
    return { status, headers: { ...rest, 'content-length': String(said.length) }, body: said };
  }

  private forward({ method, url, headers }: IncomingMessage, sent: Buffer) {
    const { hostname, port } = this.target;
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const passed = ask({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
        buffer(answer).then((body) => resolve({ status: answer.statusCode!, headers: answer.headers, body }), reject);
      });
      passed.once('error', reject).end(sent);
    });
  }
}
