import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: any;
}

/** A proof upstream of another make: answers every request with what the test wants. */
export interface StubUpstream {
  url: string;
  /** Requests in their order. */
  seen: Seen[];
  /** Connections that were opened. */
  connections(): number;
  answer(reply: (seen: Seen, response: ServerResponse) => void): void;
  /** Closes connections that are kept alive and idle. */
  dropConnections(): void;
  close(): Promise<void>;
}

export async function startStubUpstream(): Promise<StubUpstream> {
  let reply: (seen: Seen, response: ServerResponse) => void = json(200, { ok: true });
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer((request, response) => void receive(request, response));
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const part of request) text += String(part);
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
    seen.push(one);
    reply(one, response);
  };
  server.on('connection', (socket) => {
    opened++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await listen(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    connections: () => opened,
    answer: (next) => {
      reply = next;
    },
    dropConnections: () => sockets.forEach((socket) => socket.destroy()),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A reply that is this JSON, with these headers. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_seen: Seen, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

const listen = (server: Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
