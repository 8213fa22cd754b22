import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NatsServer } from '../../medium/outbox/nats-server.js';
import { startFleet, type Fleet } from './fleet.js';

const SUBJECT = 'svc.tools.rpc';
let nats: NatsServer;
let fleet: Fleet;
let client: NatsConnection;
beforeAll(async () => {
  nats = await NatsServer.start();
  fleet = await startFleet(2, {
    SVC_NATS_URL: nats.url,
    SVC_TOOLS_NATS_SUBJECT: SUBJECT,
    SVC_SHUTDOWN_DRAIN_SECS: '20',
  });
  client = await connect({ servers: new URL(nats.url).host });
});
afterAll(async () => {
  await client.close();
  await fleet.close();
  await nats.close();
});

/** Files a feature request under a key of its own. @throws when no reply came in time */
async function submit(title: string, timeout: number): Promise<any> {
  const sent = headers();
  sent.set('x-tenant-id', fleet.tenantId);
  sent.set('x-api-key', fleet.apiKey);
  sent.set('x-idempotency-key', `key-of-${title}`);
  const params = { title, body: 'By NATS.' };
  const payload = JSON.stringify({ jsonrpc: '2.0', id: title, method: 'submit_feature_request', params });
  return (await client.request(SUBJECT, payload, { headers: sent, timeout })).json();
}

/** Runs it for each title, eight at once. `progress` receives the number that are done. */
async function forEach(titles: string[], work: (title: string) => Promise<void>, progress: (done: number) => void) {
  const left = [...titles];
  let done = 0;
  const worker = async () => {
    for (let title = left.shift(); title !== undefined; title = left.shift()) {
      await work(title);
      progress(++done);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function filed(prefix: string): Promise<string[]> {
  const titles: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await fleet.call('GET', `/v1/feedback/requests?limit=200${cursor && `&cursor=${cursor}`}`);
    titles.push(...body.requests.map((one: any) => one.title as string));
    cursor = body.next_cursor;
  }
  return titles.filter((title) => title.startsWith(prefix)).sort();
}
const titlesOf = (prefix: string) => Array.from({ length: 200 }, (_, n) => `${prefix}-${n}`).sort();

it('a tool service that is stopped under load leaves no call without its answer', { timeout: 120_000 }, async () => {
  const [first] = fleet.tools;
  const answers: any[] = [];
  let stopped: Promise<void> | undefined;
  await forEach(
    titlesOf('stopped'),
    async (title) => void answers.push(await submit(title, 60_000)),
    (done) => {
      if (done === 50) stopped = first!.stop('SIGTERM');
    },
  );
  await stopped;
  expect(answers.filter(({ error }) => error)).toEqual([]);
  expect(answers.map(({ id, result }) => [id, result.title]).sort()).toEqual(
    titlesOf('stopped').map((title) => [title, title]),
  );
  expect(await filed('stopped')).toEqual(titlesOf('stopped'));
  await first!.start();
});

it('one that is killed under load does nothing twice for clients that ask again', { timeout: 180_000 }, async () => {
  const [, second] = fleet.tools;
  let killed: Promise<void> | undefined;
  let repeats = 0;
  await forEach(
    titlesOf('killed'),
    async (title) => {
      for (let answer: any; answer?.result === undefined;) {
        answer = await submit(title, 5_000).catch(() => undefined);
        if (answer?.result === undefined) repeats += 1;
        if (repeats > 500) throw new Error(`no end of repeats: ${JSON.stringify(answer)}`);
      }
    },
    (done) => {
      if (done === 50) killed = second!.stop('SIGKILL');
    },
  );
  await killed;
  expect(await filed('killed')).toEqual(titlesOf('killed'));
  await second!.start();
});
