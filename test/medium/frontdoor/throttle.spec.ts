import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ThrottleSweep } from '../../../src/common/scheduler/sweeps.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { connect } from './given.js';

let api: TestApi;
let second: TestApi;
let acme: TestTenant;
let owner: Client;
beforeAll(async () => {
  const env = { SVC_TRUSTED_PROXIES: '127.0.0.1' };
  api = await startApi({ env });
  second = await startApi({ env, database: api.database });
  acme = api.tenant;
  owner = new Client({ connectionString: api.database.superuserUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await second.close();
  await api.close();
});

const attempt = (address: string, apiKey = 'wrong-key', tenantId = 'acme', url = api.url) =>
  connect(url, tenantId, apiKey, { 'x-forwarded-for': address });
const statuses = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ status }) => status);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/**
 * As if all that was counted and blocked had happened so many seconds earlier. No test waits, and none depends on how
 * fast it runs.
 */
const pass = (seconds: number) =>
  owner.query(
    `update throttle set counted_at = counted_at - $1 * interval '1 second', blocked_until = blocked_until - $1 * interval '1 second'`,
    [seconds],
  );
/** So many failures in a row, after each of which every wait is over but the last. */
async function fail(count: number, attempt: (index: number) => Promise<Answer>): Promise<void> {
  for (let index = 0; index < count; index++) {
    await pass(1000);
    expect((await attempt(index)).status).toBe(401);
  }
}
/** The wait that was set last, in seconds, when it was set. */
async function lastWait(): Promise<number> {
  const { rows } = await owner.query<{ wait: number }>(
    `select round(extract(epoch from blocked_until - counted_at))::int as wait from throttle
     where blocked_until is not null order by counted_at desc limit 1`,
  );
  return rows[0]!.wait;
}

describe('failed sign-ins', () => {
  it('make an address wait after five, with either process and whatever the key', async () => {
    const address = '198.51.100.1';
    const failures = times(5, (index) => attempt(address, 'wrong-key', 'acme', [api, second][index % 2]!.url));
    expect(await statuses(failures)).toEqual(times(5, () => 401));
    expect(await lastWait()).toBe(1);
    await pass(-100);
    for (const { url } of [api, second]) {
      const answer = await attempt(address, acme.apiKey, 'acme', url);
      const { type, retryable, retryAfterSec } = answer.body;
      expect([answer.status, type, retryable]).toEqual([429, 'LoginThrottled', true]);
      expect([retryAfterSec > 60, retryAfterSec <= 101]).toEqual([true, true]);
      expect(answer.headers.get('retry-after')).toBe(String(retryAfterSec));
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    await pass(102);
    expect((await attempt(address, acme.apiKey)).status).toBe(200);
  });

  it('are not more when they come all at once', async () => {
    const address = '198.51.100.2';
    await fail(10, () => attempt(address));
    await pass(1000);
    const answers = await statuses(times(40, (index) => attempt(address, `wrong-key-${index}`)));
    expect(answers.filter((status) => status === 401)).toHaveLength(1);
    expect(answers.filter((status) => status === 429)).toHaveLength(39);
  });

  it('double the wait, to a quarter of an hour at most; an attempt during it does not', async () => {
    const address = '198.51.100.3';
    const waits: number[] = [];
    await fail(4, () => attempt(address));
    for (let round = 0; round < 12; round++) {
      await fail(1, () => attempt(address));
      waits.push(await lastWait());
      await pass(-100);
      expect((await attempt(address)).status).toBe(429);
      expect(await lastWait()).toBe(waits.at(-1));
      await pass(100);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('expire after a quiet hour', async () => {
    const address = '198.51.100.4';
    await fail(10, () => attempt(address));
    await pass(3601);
    expect(await statuses(times(4, () => attempt(address)))).toEqual(times(4, () => 401));
    expect((await attempt(address, acme.apiKey)).status).toBe(200);
    await pass(3601);
    await api.app.get(ThrottleSweep).sweep();
    expect(await api.database.query('select 1 from throttle')).toEqual([]);
  });

  it('with a tenant are forgiven by a success; all of an address are counted', async () => {
    const address = '198.51.100.5';
    for (let round = 0; round < 3; round++) {
      expect(await statuses(times(4, () => attempt(address)))).toEqual(times(4, () => 401));
      expect((await attempt(address, acme.apiKey)).status).toBe(200);
    }
    // Twelve so far, of which 25 are free: the thirty-first brings a minute.
    await fail(18, (index) => attempt(address, 'wrong-key', `tenant-${index}`));
    await pass(1000);
    const spread = await statuses(times(20, (index) => attempt(address, 'wrong-key', `another-${index}`)));
    expect(spread.filter((status) => status === 401)).toHaveLength(1);
    expect((await attempt(address, acme.apiKey)).status).toBe(429);
  });

  it('of one address lock no other out, and are counted for a whole IPv6 network', async () => {
    await fail(11, () => attempt('2001:db8:5:5::1'));
    expect((await attempt('2001:db8:5:5:ffff::2', acme.apiKey)).status).toBe(429);
    expect((await attempt('2001:db8:5:6::1', acme.apiKey)).status).toBe(200);
  });

  it('of a hundred addresses leave each further one a single free try, and the owner in', async () => {
    const victim = await api.addTenant('victim');
    for (let batch = 0; batch < 5; batch++)
      await statuses(times(20, (index) => attempt(`203.0.${batch}.${index}`, 'wrong-key', 'victim')));
    expect((await attempt('203.0.200.1', 'wrong-key', 'victim')).status).toBe(401);
    await pass(-100);
    expect((await attempt('203.0.200.1', victim.apiKey, 'victim')).status).toBe(429);
    for (const _ of times(3, () => 0)) expect((await attempt('203.0.200.2', victim.apiKey, 'victim')).status).toBe(200);
  });

  it('are counted for the address a proxy saw, not for one the client invented', async () => {
    const headers = (index: number) => ({ 'x-forwarded-for': `10.0.0.${index}, 198.51.100.77` });
    await fail(11, (index) => connect(api.url, 'acme', 'wrong-key', headers(index)));
    expect((await connect(api.url, 'acme', 'wrong-key', headers(99))).status).toBe(429);
  });

  it("keep no address in the database, and are out of the application's own reach", async () => {
    const rows = await api.database.query<{ subject: Buffer }>('select subject from throttle');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ subject }) => subject.length === 32)).toBe(true);
    const application = new Client(api.database.urlAs('svc_app'));
    await application.connect();
    for (const statement of ['select 1 from throttle', `select svc_throttle_row('x')`])
      await expect(application.query(statement)).rejects.toThrow(/permission denied/);
    await application.end();
  });
});

describe('access requests', () => {
  it('are taken five at a time from an address, by all processes together', async () => {
    const body = { audience: 'human', requesterEmail: 'ada@example.org' };
    const submit = ({ url }: TestApi) =>
      send(url, 'POST', '/frontdoor/access-requests', body, { 'x-forwarded-for': '198.51.100.9' });
    const answers = await statuses(times(8, (index) => submit([api, second][index % 2]!)));
    expect(answers.filter((status) => status === 202)).toHaveLength(5);
    const refused = await submit(api);
    expect([refused.status, refused.body.type]).toEqual([429, 'TooManyRequests']);
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfterSec));
    expect(await lastWait()).toBe(60);
  });
});
