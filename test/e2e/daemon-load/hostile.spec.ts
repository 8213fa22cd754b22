import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { head, RawClient } from '../../medium/daemon-ingress/raw-client.js';

const MIB = 1024 * 1024;
const ROUNDS = 8;
/** What the collector of garbage may leave lying about. */
const SLACK_MIB = 96;

const FACTS = ['PUT /v1/facts', 'content-type: application/json', 'x-svc-scopes: facts:write'] as const;

let database: TestDatabase;
let dataDir: string;
let daemon: ServerProcess;
let port: number;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-hostile-'));
  daemon = await ServerProcess.at(database.url, dataDir, { SVCD_SHUTDOWN_DRAIN_SECS: '5' }, 'daemon');
  await daemon.start();
  port = Number(new URL(daemon.url).port);
});
afterAll(async () => {
  await daemon.stop('SIGTERM');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Memory of the process by its own metrics, in MiB. */
async function memory(): Promise<{ residentMiB: number; heapMiB: number }> {
  const { text } = await send(daemon.url, 'GET', '/metrics');
  const read = (name: string): number => Math.round(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)![1]) / MIB);
  return { residentMiB: read('process_resident_memory_bytes'), heapMiB: read('nodejs_heap_size_used_bytes') };
}

const statusOf = async (...parts: (string | Buffer)[]): Promise<number> => {
  const client = await RawClient.open(port);
  for (const part of parts) client.send(part);
  const { status } = await client.answer();
  client.end();
  return status;
};
const withBody = (text: string): Promise<number> =>
  statusOf(head(...FACTS, `content-length: ${Buffer.byteLength(text)}`), text);
const many = (count: number, one: () => Promise<number>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, one));

/** Goes away in the middle of its request. */
async function leave(): Promise<number> {
  const client = await RawClient.open(port);
  client.send(head(...FACTS, 'content-length: 1000000') + 'x'.repeat(10_000));
  client.socket.end();
  await client.closed;
  return 0;
}

async function upload(): Promise<number> {
  const body = `{"value":"${'x'.repeat(64 * MIB)}"}`;
  const headers = { 'content-type': 'application/json', 'x-svc-scopes': 'facts:write' };
  const { status } = await fetch(`${daemon.url}/v1/facts`, { method: 'PUT', headers, body });
  return status;
}

const round = async (): Promise<unknown> => ({
  large: await many(2, upload),
  chunked: await statusOf(
    head(...FACTS, 'transfer-encoding: chunked'),
    Buffer.concat([Buffer.from(`${(17 * MIB).toString(16)}\r\n`), Buffer.alloc(17 * MIB, 0x20)]),
  ),
  deep: await withBody('['.repeat(8_000_000)),
  wide: await withBody(`[${'{},'.repeat(5_000_000)}0]`),
  headers: await many(50, () => statusOf(head('GET /healthz', `x-more: ${'x'.repeat(30_000)}`))),
  gone: await many(50, leave),
  garbage: await many(50, () => statusOf('\x16\x03\x01\x02\x00\r\n\r\n')),
});

it('rounds of hostile requests leave nothing behind', { timeout: 300_000 }, async () => {
  const expected = {
    large: [413, 413],
    chunked: 413,
    deep: 400,
    wide: 400,
    headers: Array(50).fill(431),
    gone: Array(50).fill(0),
    garbage: Array(50).fill(400),
  };
  const seen = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    expect(await round()).toEqual(expected);
    expect((await send(daemon.url, 'GET', '/healthz')).status).toBe(200);
    seen.push(await memory());
  }
  process.stdout.write(`hostile: ${JSON.stringify(seen)}\n`);
  const [early, late] = [seen.slice(0, ROUNDS / 2), seen.slice(ROUNDS / 2)];
  const least = (figures: { heapMiB: number }[]) => Math.min(...figures.map(({ heapMiB }) => heapMiB));
  const most = (figures: { residentMiB: number }[]) => Math.max(...figures.map(({ residentMiB }) => residentMiB));
  expect(least(late)).toBeLessThan(least(early) + SLACK_MIB);
  expect(most(late)).toBeLessThan(most(early) + SLACK_MIB);
});
