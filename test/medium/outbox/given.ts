import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Outbox } from '../../../src/common/outbox/outbox.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import type { TestApi, TestTenant } from '../../kit/app.js';

/** Commits one event per unit of work, as modules do. */
export async function emit(api: TestApi, tenant: TestTenant, kind: string, subject: string): Promise<string> {
  const [tenancy, outbox] = [api.app.get(Tenancy), api.app.get(Outbox)];
  return tenancy.run(tenant.tenantId, async () => outbox.emit({ kind, subject, data: { subject } }));
}

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** What is answered, by path; 204 unless said otherwise. A function answers by itself, or never. */
  answers: Map<string, number[] | ((response: ServerResponse) => void)>;
  at(path: string): Received[];
  close(): Promise<void>;
}

/** A receiver of webhooks on a free loopback port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver['answers'] = new Map();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(parts).toString();
      received.push({ path, headers: request.headers, body, event: JSON.parse(body) });
      const answer = answers.get(path);
      if (typeof answer === 'function') return answer(response);
      const status = answer?.shift() ?? 204;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    at: (path) => received.filter((one) => one.path === path),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** All events of a tenant's stream from a cursor on, and the next cursor. */
export async function follow(
  tenant: TestTenant,
  cursor?: string,
  query = '',
): Promise<{ events: any[]; cursor: string }> {
  const events: any[] = [];
  for (let at = cursor; ;) {
    const from = at === undefined ? '' : `&cursor=${at}`;
    const { status, body } = await tenant.call('GET', `/v1/events?limit=50${from}${query}`);
    if (status !== 200) throw new Error(`the event stream answered ${status}: ${JSON.stringify(body)}`);
    events.push(...body.events);
    at = body.resume_cursor as string;
    if (body.next_cursor === null) return { events, cursor: at };
  }
}
