import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { claims, HS256_ENV, hs256 } from '../daemon-auth/given.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

/** Read, and judged false: 200. */
const HONEST = '{"format":"svc-export-v2"}';
/** Members of 5.9 MB of JSON that is no bundle. */
const MEMBERS = 270_000;
/** As long as anybody waits for a turn. */
const BOUND_MS = 8_000;

const HOSTILE = '198.51.100.66';

let daemon: TestDaemon;
let token: string;
beforeAll(async () => {
  daemon = await startDaemon({
    env: {
      ...HS256_ENV,
      SVCD_RATE_LIMIT_RPS: '0',
    },
  });
  token = await hs256(claims());
});
afterAll(() => daemon.close());

const verify = async (body: string, address: string, headers: Record<string, string> = {}) => {
  const start = performance.now();
  const response = await fetch(`${daemon.url}/v1/audit/bundle/verify`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), ms: performance.now() - start };
};
type Verified = Awaited<ReturnType<typeof verify>>;

/** What is answered to others while 16 loops of one address, in a process of their own, send nonsense. */
async function besideHostileLoops<T>(work: () => Promise<T>): Promise<T> {
  const url = `${daemon.url}/v1/audit/bundle/verify`;
  const hostile = fork(join(import.meta.dirname, 'hostile-loops.mjs'), [url, HOSTILE, '16', String(MEMBERS)]);
  try {
    await new Promise<void>((resolve, reject) => {
      hostile.on('message', (seen: Record<string, number>) => seen[503] && resolve());
      hostile.once('exit', () => reject(new Error('the hostile loops ended')));
    });
    return await work();
  } finally {
    hostile.disconnect();
    await once(hostile, 'exit');
  }
}

/** Sends again after 503, a few times. */
async function retried(send: () => Promise<Verified>): Promise<Verified> {
  for (let tries = 1; ; tries++) {
    const answer = await send();
    if (answer.status !== 503 || tries === 5) return answer;
    await sleep(Number(answer.retryAfter) * 1000);
  }
}

const inTurn = async (count: number, one: () => Promise<Verified>): Promise<Verified[]> => {
  const answers: Verified[] = [];
  for (let n = 0; n < count; n++) answers.push(await one());
  return answers;
};
const statusesOf = (answers: Verified[]) => [...new Set(answers.map(({ status }) => status))];
const slowestOf = (answers: Verified[]) => Math.max(...answers.map(({ ms }) => ms));

describe('verifying bundles while one address sends nonsense without end', () => {
  it('answers callers with a credential, one after another and forty at once', { timeout: 120_000 }, async () => {
    const known = () => verify(HONEST, HOSTILE, { authorization: `Bearer ${token}` });
    const found = await besideHostileLoops(async () => ({
      inTurn: await inTurn(40, known),
      atOnce: await Promise.all(Array.from({ length: 40 }, known)),
    }));
    expect([statusesOf(found.inTurn), statusesOf(found.atOnce)]).toEqual([[200], [200]]);
    expect(slowestOf([...found.inTurn, ...found.atOnce])).toBeLessThan(BOUND_MS);
  });

  it('gives another address its turns without a credential', { timeout: 120_000 }, async () => {
    // A turn may come after a bundle that is being verified, which takes its time on a slow machine.
    const found = await besideHostileLoops(() => inTurn(5, () => retried(() => verify(HONEST, '203.0.113.7'))));
    expect(statusesOf(found)).toEqual([200]);
  });
});

describe('the share of an address', () => {
  const started: ClientRequest[] = [];
  afterEach(() => started.splice(0).forEach((one) => one.destroy()));

  /** A request of which the server has taken the head; its body does not come. */
  const start = async (address: string) => {
    const headers = { 'x-forwarded-for': address, 'content-length': '1000', expect: '100-continue' };
    const one = request(`${daemon.url}/v1/audit/bundle/verify`, { method: 'POST', headers });
    started.push(one.on('error', () => undefined));
    one.flushHeaders();
    await once(one, 'continue');
  };

  it('is three bundles without a credential, refused before the body, and given back when they end', async () => {
    for (let n = 0; n < 3; n++) await start('198.51.100.67');
    const refused = await verify(HONEST, '198.51.100.67');
    expect([refused.status, refused.retryAfter]).toEqual([503, '1']);
    expect((await verify(HONEST, '203.0.113.8')).status).toBe(200);
    expect((await verify(HONEST, '198.51.100.67', { authorization: `Bearer ${token}` })).status).toBe(200);
    started.forEach((one) => one.destroy());
    await vi.waitFor(async () => expect((await verify(HONEST, '198.51.100.67')).status).toBe(200), 10_000);
  });
});
