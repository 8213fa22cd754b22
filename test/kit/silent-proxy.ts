import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A network in front of a server on a unix socket that can lose its state, as a NAT or a balancer does: from then on
 * no byte of any connection passes, neither side is notified, and open connections never come back. New ones work
 * again once the network does.
 */
export class SilentProxy {
  private readonly sockets = new Set<Socket>();
  private isSilent = false;
  private lost = new WeakSet<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    private readonly database: string,
  ) {}

  /** @param url of a database on a unix socket, `postgresql://user@/name?host=...` */
  static async start(url: string): Promise<SilentProxy> {
    const [, database = ''] = /@\/([^?]*)/.exec(url) ?? [];
    const query = new URLSearchParams(url.slice(url.indexOf('?')));
    const path = `${query.get('host')}/.s.PGSQL.${query.get('port')}`;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new SilentProxy(server, (server.address() as { port: number }).port, database);
    server.on('connection', (client) => proxy.join(client, path));
    return proxy;
  }

  urlAs(role: string): string {
    return `postgresql://${role}@127.0.0.1:${this.port}/${this.database}`;
  }

  fallSilent(): void {
    this.isSilent = true;
    this.loseAll();
  }

  recover(): void {
    this.isSilent = false;
  }

  /** Only the connections that are open are lost; new ones work. */
  loseAll(): void {
    for (const socket of this.sockets) this.lost.add(socket);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, path: string): void {
    const server = connect(path);
    this.pass(client, server);
    this.pass(server, client);
    if (this.isSilent) for (const socket of [client, server]) this.lost.add(socket);
  }

  private pass(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (bytes) => {
      if (!this.lost.has(from)) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      // The other side of a lost connection does not hear of its end either.
      if (!this.lost.has(from)) to.destroy();
    });
  }
}
