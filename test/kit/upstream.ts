import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a server of the operator was asked. */
interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: any;
}

export interface TestUpstream {
  /** With a path of its own, as an operator may have it. */
  url: string;
  asked: Asked[];
  /** What is answered from now on; `hang`: nothing. */
  answer: { status: number; body: string; headers?: Record<string, string> } | 'hang';
  close(): Promise<void>;
}

/** A real HTTP server that notes what it is asked and answers as it is set to. */
export async function startUpstream(): Promise<TestUpstream> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, headers, body: body === '' ? undefined : JSON.parse(body) });
      if (upstream.answer === 'hang') return;
      const { status, body: said, headers: more } = upstream.answer;
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: TestUpstream = {
    url: `http://127.0.0.1:${port}/engine/v2/`,
    asked,
    answer: { status: 200, body: '{"drafted":true}' },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}
