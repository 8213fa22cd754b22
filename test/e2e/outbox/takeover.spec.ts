import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { ServerProcess } from '../../kit/server-process.js';
import { emit } from '../../medium/outbox/given.js';
import { NatsServer } from '../../medium/outbox/nats-server.js';

/** Raise it for a longer trial. */
const KILLS = 3;
/**
 * A process that is killed is noticed when its connection ends; the next look of another is at most a second away. A
 * busy machine takes longer.
 */
const TAKEN_OVER_WITHIN_MS = 20_000;

let nats: NatsServer;
let writer: TestApi;
let dataDir: string;
let processes: ServerProcess[];
let listener: NatsConnection;
const heard: string[] = [];

beforeAll(async () => {
  nats = await NatsServer.start();
  writer = await startApi({ env: { SVC_JOBS: '0' } });
  dataDir = mkdtempSync(join(tmpdir(), 'svc-takeover-'));
  const env = { SVC_NATS_URL: nats.url, SVC_NATS_STREAM: 'TAKEOVER' };
  processes = await Promise.all([0, 1].map(() => ServerProcess.at(writer.database.url, dataDir, env)));
  for (const one of processes) await one.start();
  listener = await connect({ servers: new URL(nats.url).host });
  listener.subscribe('svc.events.acme.>', {
    callback: (_, message) => void heard.push(message.json<{ subject: string }>().subject),
  });
  await listener.flush();
});
afterAll(async () => {
  await listener.close();
  await Promise.all(processes.map((one) => one.stop('SIGTERM')));
  await writer.close();
  await nats.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What the stream has stored, by the order in which it came: a message that is published twice is stored once. */
async function stored(): Promise<string[]> {
  const manager = await jetstreamManager(listener);
  const { num_pending: count, name } = await manager.consumers.add('TAKEOVER', { ack_policy: AckPolicy.None });
  const consumer = await jetstream(listener).consumers.get('TAKEOVER', name);
  const found: string[] = [];
  if (count === 0) return found;
  for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) {
    found.push(message.json<{ subject: string }>().subject);
  }
  return found;
}

describe('two processes that publish and are killed', () => {
  it('take over from each other, and no event is lost, doubled or out of order', async () => {
    const subjects: string[] = [];
    let isWriting = true;
    const writing = (async () => {
      for (let n = 0; isWriting; n += 1) {
        await emit(writer, writer.tenant, 'takeover.test', `${n}`);
        subjects.push(`${n}`);
      }
    })();
    await expect.poll(() => heard.length, { timeout: 10_000 }).toBeGreaterThan(50);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = processes[kill % 2]!;
      await victim.stop('SIGKILL');
      const latest = subjects.length;
      await expect.poll(() => heard.includes(`${latest}`), { timeout: TAKEN_OVER_WITHIN_MS }).toBe(true);
      await victim.start();
      await sleep(100 + ((kill * 211) % 400));
    }
    isWriting = false;
    await writing;
    await expect.poll(async () => (await stored()).length, { timeout: 20_000 }).toBe(subjects.length);
    expect(await stored()).toEqual(subjects);
  });
});
