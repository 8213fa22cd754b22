import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../processes/svc-process.js';
import { callTool, isToRepeat, startFleet, type Fleet, type Went } from './fleet.js';
import { spawnStdio } from './transports.js';

const CLIENTS = 16;
const OUTAGES = 2;

let fleet: Fleet;
let url: string;
beforeAll(async () => {
  fleet = await startFleet(1);
  url = fleet.tools[0]!.url;
}, 180_000);
afterAll(() => fleet.close());

const probe = async (path: string): Promise<number> => (await fetch(url + path)).status;

/** What went over one stream. Untyped, as the wire is. */
interface Exchanged {
  sent: number;
  answers: any[];
}

describe('the API is killed under load', () => {
  const went: Went[] = [];
  const keys = new Map<string, Went>();
  const lines: Exchanged = { sent: 0, answers: [] };
  const piped: Exchanged = { sent: 0, answers: [] };
  let stopped = false;

  /** Reads and tips in turn; a tip is repeated with its key until it is known. */
  async function client(index: number): Promise<void> {
    const ask = async (method: string, params: object): Promise<Went> => {
      const one = await callTool(url, fleet, method, params);
      went.push(one);
      if (one.error) await sleep(50);
      return one;
    };
    for (let i = 0; !stopped; i += 1) {
      await ask('get_credit_balance', { agent_id: `client-${index}` });
      const key = `tip-of-client-${index}-${i}`;
      const tip = { agent_id: `client-${index}`, credits: 1, idempotency_key: key };
      let one = await ask('tip_platform', tip);
      while (isToRepeat(one)) one = await ask('tip_platform', tip);
      keys.set(key, one);
    }
  }

  const balance = (id: number) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'get_credit_balance', params: { agent_id: 'stream' } })}\n`;

  /** One stream, and one pipe, through all of it. */
  async function stream(): Promise<void> {
    const headers = {
      'content-type': 'application/x-ndjson',
      'x-tenant-id': fleet.tenantId,
      'x-api-key': fleet.apiKey,
    };
    const sent = request(`${url}/stream`, { method: 'POST', headers });
    const ended = new Promise<void>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        createInterface({ input: response })
          .on('line', (line) => lines.answers.push(JSON.parse(line)))
          .once('close', resolve);
      });
    });
    while (!stopped) {
      sent.write(balance(++lines.sent));
      await sleep(20);
    }
    sent.end();
    await ended;
  }

  async function pipe(): Promise<void> {
    const { tenantId, apiKey } = fleet;
    const address = { toolsUrl: url, apiUrl: fleet.api.url, databaseUrl: fleet.database.url, tenantId, apiKey };
    const child = spawnStdio(address);
    const ended = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout! })
        .on('line', (line) => piped.answers.push(JSON.parse(line)))
        .once('close', resolve);
    });
    while (!stopped) {
      child.stdin!.write(balance(++piped.sent));
      await sleep(20);
    }
    child.stdin!.end();
    await ended;
  }

  it('nothing hangs, and it goes on by itself when the API is back', { timeout: 240_000 }, async () => {
    const pid = fleet.tools[0]!.pid;
    const successes = () => went.filter(({ result }) => result).length;
    const failures = () => went.filter(({ error }) => error).length;
    const load = [...Array.from({ length: CLIENTS }, (_, index) => client(index)), stream(), pipe()];
    const shown = Promise.all(load);
    shown.catch(() => undefined);
    for (let outage = 0; outage < OUTAGES; outage += 1) {
      const [good, bad] = [successes(), failures()];
      await until('load', () => successes() > good + 200);
      await fleet.api.stop('SIGKILL');
      await until('a red probe', async () => (await probe('/readyz')) === 503);
      await until('calls that fail', () => failures() > bad + 50);
      expect(await probe('/healthz')).toBe(200);
      await fleet.api.start();
      await until('a green probe', async () => (await probe('/readyz')) === 200);
    }
    const good = successes();
    await until('load again', () => successes() > good + 200);
    stopped = true;
    await shown;
    expect([fleet.tools[0]!.hasEnded, fleet.tools[0]!.pid]).toEqual([false, pid]);
  });

  it('every request was answered: with its result, or with an error that says to try again', () => {
    expect(new Set(went.map(({ status }) => status))).toEqual(new Set([200]));
    const errors = went.flatMap(({ error }) => (error ? [error] : []));
    // Conflict: a tip that is repeated while the API still works on the first.
    const codes = new Set(errors.map(({ code, data }) => `${code} ${data.retryable}`));
    codes.delete('-32005 true');
    expect(codes).toEqual(new Set(['-32009 true']));
    for (const { data } of errors) expect(data).toMatchObject({ retryAfterSec: 1, message: expect.any(String) });
  });

  it.each(['/stream', 'stdio'])('every line of %s was answered, once', (name) => {
    const { sent, answers } = name === 'stdio' ? piped : lines;
    expect(answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual(Array.from({ length: sent }, (_, i) => i + 1));
    const codes = new Set(answers.map(({ error }) => error?.code));
    expect(codes).toEqual(new Set([undefined, -32009]));
  });

  it('every tip was given once', async () => {
    expect([...keys.values()].filter(({ result }) => result?.credits !== 1)).toEqual([]);
    const ids = [...keys.values()].map(({ result }) => result.tipId as string);
    expect(new Set(ids).size).toBe(keys.size);
    const rows = await fleet.database.query<{ n: number }>(
      `select count(*)::int as n from ledger_transfer where reason = 'tip'`,
    );
    expect(rows).toEqual([{ n: keys.size }]);
  });
});
