import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with the routes of GitHub's REST API that the daemon uses, as its documentation says them. */
export class FakeGithub {
  /** By token, whose it is. */
  readonly accounts = new Map<string, { id: number; login: string; scopes?: string; expires?: string }>();
  readonly authorizations: string[] = [];
  /** What every request is answered with in place of its route. */
  broken: { status: number; headers?: Record<string, string>; body?: string } | undefined;
  private server: Server | undefined;

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      this.authorizations.push(request.headers.authorization ?? '');
      const send = (status: number, body: object, headers: Record<string, string> = {}): void =>
        void response
          .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
          .end(JSON.stringify(body));
      if (this.broken) return void response.writeHead(this.broken.status, this.broken.headers).end(this.broken.body);
      if (request.method !== 'GET' || request.url !== '/user') return send(404, { message: 'Not Found' });
      const token = /^token (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const account = this.accounts.get(token);
      if (!account) return send(401, { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' });
      const { id, login, scopes, expires } = account;
      send(
        200,
        { id, login, type: 'User' },
        {
          ...(scopes === undefined ? {} : { 'x-oauth-scopes': scopes }),
          ...(expires === undefined ? {} : { 'github-authentication-token-expiration': expires }),
        },
      );
    });
    await new Promise<void>((resolve) => this.server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}
