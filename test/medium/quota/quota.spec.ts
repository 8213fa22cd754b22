import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { quotaWindow } from '../../kit/quota-window.js';
import { must } from '../work/given.js';

const DAY = quotaWindow(86_400);
const ENV = { SVCD_QUOTA: '1', SVCD_QUOTA_HOSTED_SURFACES: `facts:25/${DAY}, work:40/1`, SVCD_ROUTE_AUTH: 'enforce' };
let first: TestDaemon;
let second: TestDaemon;
let open: TestDaemon;
beforeAll(async () => {
  first = await startDaemon({ env: ENV });
  second = await startDaemon({ env: ENV, database: first.database });
  open = await startDaemon({ env: { ...ENV, SVCD_QUOTA_HOSTED_SURFACES: '' }, database: first.database });
});
afterAll(async () => {
  await open.close();
  await second.close();
  await first.close();
});

const as = (on: TestDaemon, passport: string, tenant = 'default', scopes = ALL_SCOPES) =>
  on.as({ scopes, passport, tenant });
const store = (on: TestDaemon, passport: string, n: number, tenant?: string): Promise<Answer> =>
  as(on, passport, tenant)('PUT', '/v1/facts', { entity: passport, key: `k${n}`, value: `v${n}` });
const windowsOf = (passport: string, surface: string) =>
  first.database.query<{ used: number; tenant_id: string }>(
    'select used, tenant_id from quota_window where principal = $1 and surface = $2 order by window_start',
    [`passport:${passport}`, surface],
  );
const left = ({ headers }: Answer): number => Number(/;r=(\d+);/.exec(headers.get('ratelimit')!)![1]);
const ratelimit = ({ headers }: Answer) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];

describe('a quota', () => {
  it('admits exactly the bucket over all daemons, and refuses the others before anything is done', async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => store(n % 2 ? first : second, 'busy', n)));
    const admitted = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([25, 55]);
    expect(admitted.map(left).sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n));
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: 'QUOTA_EXCEEDED', surface: 'facts', limit: 25, window_seconds: DAY });
      expect(headers.get('ratelimit-policy')).toBe(`"facts";q=25;w=${DAY}`);
      const [, wait] = /^"facts";r=0;t=(\d+)$/.exec(headers.get('ratelimit')!)!;
      expect(headers.get('retry-after')).toBe(wait);
      expect(body['violated-policies']).toEqual(['facts']);
    }
    const [row] = await first.database.query<{ n: number }>(
      `select count(*)::int as n from fact where entity = 'busy'`,
    );
    expect(row!.n).toBe(25);
  });

  it('is full again at each window, whichever daemon was asked before', async () => {
    let admitted = 0;
    let refused = 0;
    await expect
      .poll(
        async () => {
          const answers = await Promise.all(
            Array.from({ length: 60 }, (_, n) => as(n % 2 ? first : second, 'steady')('GET', '/v1/work')),
          );
          admitted += answers.filter(({ status }) => status === 200).length;
          refused += answers.filter(({ status }) => status === 429).length;
          return (await windowsOf('steady', 'work')).length;
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(3);
    const windows = await windowsOf('steady', 'work');
    for (const { used } of windows) expect(used).toBeLessThanOrEqual(40);
    expect(windows.reduce((sum, { used }) => sum + used, 0)).toBe(admitted);
    expect(admitted + refused).toBeGreaterThan(40 * 2);
  });

  it('is of one passport in one tenant, and of one surface', async () => {
    for (let n = 0; n < 25; n++) expect((await store(first, 'one', n)).status).toBe(201);
    expect((await store(second, 'one', 25)).status).toBe(429);
    expect((await store(second, 'two', 0)).status).toBe(201);
    expect((await store(second, 'one', 0, 'umbrella')).status).toBe(201);
    expect((await as(first, 'one')('GET', '/v1/work')).status).toBe(200);
  });

  it('takes nothing for what route-auth refuses, what is not there, and surfaces without one', async () => {
    const reader = as(first, 'spared', 'default', 'receipts:read');
    for (let n = 0; n < 30; n++) expect((await reader('GET', '/v1/facts')).status).toBe(403);
    expect((await as(first, 'spared')('GET', '/v1/facts/a/b/c')).status).toBe(403);
    const other = await as(first, 'spared')('GET', '/v1/passports');
    expect([other.status, ratelimit(other)]).toEqual([200, [null, null]]);
    expect(await windowsOf('spared', 'facts')).toEqual([]);
  });

  it('is none where no surface is listed', async () => {
    for (let n = 0; n < 30; n++) expect((await store(open, 'free', n)).status).toBe(201);
    expect((await must(as(open, 'free')('GET', '/v1/quota'))).surfaces).toEqual([]);
  });

  it('holds for tool calls over MCP as well', async () => {
    for (let n = 0; n < 25; n++) await store(second, 'tooled', n);
    const params = { name: 'search_facts', arguments: { query: 'x' } };
    const answer = await fetch(first.mcpUrl, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ 'x-svc-scopes': ALL_SCOPES, 'x-svc-passport-id': 'tooled' },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect(await answer.text()).toContain('QUOTA_EXCEEDED');
  });
});

describe('GET /v1/quota', () => {
  it('says what is left, in whatever process, and takes nothing', async () => {
    for (let n = 0; n < 3; n++) await store(first, 'asking', n);
    const query = as(second, 'asking', 'default', 'query:read');
    for (let n = 0; n < 3; n++) {
      const quota = await must(query('GET', '/v1/quota'));
      expect(quota).toMatchObject({ schema: 'svc.quota/1', principal: 'passport:asking', tenant_id: 'default' });
      expect(quota.surfaces).toMatchObject([
        { surface: 'facts', limit: 25, window_seconds: DAY, used: 3, remaining: 22 },
        { surface: 'work', limit: 40, window_seconds: 1, used: 0, remaining: 40 },
      ]);
      expect(Date.parse(quota.surfaces[0].resets_at) % (DAY * 1000)).toBe(0);
    }
  });

  it('shows another passport to who may read as admin', async () => {
    const query = as(second, 'curious', 'default', 'query:read');
    expect((await query('GET', '/v1/quota?passport=asking')).status).toBe(403);
    const shown = await must(as(second, 'lead')('GET', '/v1/quota?passport=asking'));
    expect([shown.principal, shown.surfaces[0].used]).toEqual(['passport:asking', 3]);
    expect((await must(as(second, 'asking', 'umbrella')('GET', '/v1/quota'))).surfaces[0].used).toBe(0);
  });
});

it.each(['facts:0/60', 'Facts', 'facts,facts'])('a start with %s says what is wrong', async (surfaces) => {
  const env = { ...ENV, SVCD_QUOTA_HOSTED_SURFACES: surfaces };
  await expect(startDaemon({ env, database: first.database })).rejects.toThrow('SVCD_QUOTA_HOSTED_SURFACES');
});
