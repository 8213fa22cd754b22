import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { must } from '../work/given.js';

const ROUTE = '/v1/cost/report';
const folder = mkdtempSync(join(tmpdir(), 'svc-cost-'));
const prices = join(folder, 'prices.yaml');
const LIST = 'currency: EUR\nprices: [{ model: priced-*, input_per_million: 1.5, output_per_million: 3 }]\n';
let daemon: TestDaemon;
let second: TestDaemon;
beforeAll(async () => {
  writeFileSync(prices, LIST);
  daemon = await startDaemon({ env: { SVCD_FEATURE_COST_LENS: '1' } });
  const env = { SVCD_FEATURE_COST_LENS: '1', SVCD_PRICES_FILE: prices };
  second = await startDaemon({ env, database: daemon.database });
});
afterAll(async () => {
  await second.close();
  await daemon.close();
  rmSync(folder, { recursive: true });
});

const of = (tenant: string, on = daemon, passport?: string): DaemonCall =>
  on.as({ scopes: ALL_SCOPES, tenant, ...(passport === undefined ? {} : { passport }) });
const event = (id: string, data: object = {}, more: object = {}) => ({
  ...{ id, time: '2026-03-05T12:00:00Z', data: { model: 'priced-1', tokens_in: 100, tokens_out: 10, ...data } },
  ...more,
});
const report = (by: DaemonCall, ...events: object[]) => by('POST', ROUTE, { events });
const read = (by: DaemonCall, query = '') => must(by('GET', `${ROUTE}?from=2026-03-01&to=2026-03-31${query}`));

describe('usage', () => {
  it('counts once, in whatever process it is sent again, and leaves one receipt', async () => {
    const acme = of('acme');
    const first = await must(report(acme, event('a'), event('b')));
    expect(first).toEqual({ accepted: 2, duplicates: 0, conflicts: [], receipt_id: expect.any(String) });
    const again = await must(report(of('acme', second), event('a'), event('b'), event('b'), event('c')));
    expect(again).toMatchObject({ accepted: 1, duplicates: 3, conflicts: [] });
    expect(await must(report(acme, event('c')))).toMatchObject({ accepted: 0, receipt_id: null });
    expect((await read(acme)).total).toEqual({ events: 3, tokens_in: 300, tokens_out: 30, cost: null });
    expect((await must(acme('GET', `/v1/receipts/${first.receipt_id}/verification?tenant_id=acme`))).verified).toBe(
      true,
    );
  });

  it('is named by source and id, and stays as it came first', async () => {
    const by = of('first');
    await must(report(by, event('x'), event('x', {}, { source: '/other' })));
    const changed = await must(report(by, event('x', { tokens_in: 101 }), event('x', {}, { source: '/other' })));
    expect(changed).toEqual({ accepted: 0, duplicates: 2, conflicts: [{ id: 'x', source: '' }], receipt_id: null });
    const moved = await must(report(by, event('x', {}, { time: '2026-03-06T12:00:00Z' })));
    expect(moved.conflicts).toHaveLength(1);
    const untimed = await must(report(by, { ...event('x'), time: undefined }));
    expect(untimed).toMatchObject({ duplicates: 1, conflicts: [] });
    expect((await read(by)).total.tokens_in).toBe(200);
  });

  it('counts once when it is sent by many at the same time', async () => {
    const events = Array.from({ length: 200 }, (_, n) => event(`n-${n}`));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        must(report(of('crowd', n % 2 ? daemon : second), ...(n < 4 ? events : events.toReversed()))),
      ),
    );
    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(200);
    expect((await read(of('crowd'))).total.events).toBe(200);
  });

  it('is the acting passport’s where it names none', async () => {
    await must(report(of('owned', daemon, 'ada'), event('mine'), event('theirs', { passport: 'bob' })));
    const { rows } = await read(of('owned'), '&group_by=passport');
    expect(rows.map(({ passport }: any) => passport)).toEqual(['ada', 'bob']);
  });

  it.each<[object, string]>([
    [{ events: [] }, 'body.events'],
    [{ events: [{ data: { model: 'm' } }] }, 'body.events[0].id'],
    [{ events: [{ id: 'a' }] }, 'body.events[0].data'],
    [{ events: [event('a', { tokens_in: -1 })] }, 'body.events[0].data.tokens_in'],
    [{ events: [event('a', { tokens_in: 1.5 })] }, 'body.events[0].data.tokens_in'],
    [{ events: [event('a', { tokens: 1 })] }, 'body.events[0].data.tokens'],
    [{ events: [event('a', {}, { time: 'yesterday' })] }, 'body.events[0].time'],
    [{ events: [event('a', {}, { specversion: '0.3' })] }, 'body.events[0].specversion'],
    [{ events: [event('a'), event('a', { tokens_in: 1 })] }, 'body.events[1].id'],
  ])('is refused: %j', async (body, member) => {
    const answer = await of('acme')('POST', ROUTE, body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(member)]);
  });
});

describe('a report', () => {
  const tenant = 'reports';
  beforeAll(async () => {
    const at = (day: string) => ({ time: `2026-03-${day}T23:30:00-01:00` });
    await must(
      report(
        of(tenant),
        event('1', { passport: 'ada', project: 'p', surface: 'chat' }, at('05')),
        event('2', { passport: 'ada', model: 'priced-2' }, at('05')),
        event('3', { passport: 'bob', model: 'free', tokens_in: 7 }, at('06')),
        event('4', { passport: '=cmd()'.slice(1, 4), project: '=1+1' }, { time: '2026-04-01T00:00:00Z' }),
      ),
    );
  });

  it('adds up by what is asked for, days in UTC, and by the filters', async () => {
    const by = of(tenant);
    expect((await read(by)).rows).toMatchObject([
      { day: '2026-03-06', events: 2, tokens_in: 200 },
      { day: '2026-03-07', events: 1, tokens_in: 7 },
    ]);
    expect((await read(by, '&group_by=passport,model')).rows).toMatchObject([
      { passport: 'ada', model: 'priced-1', events: 1 },
      { passport: 'ada', model: 'priced-2', events: 1 },
      { passport: 'bob', model: 'free', events: 1 },
    ]);
    expect((await read(by, '&group_by=project')).rows).toMatchObject([
      { project: null, events: 2 },
      { project: 'p', events: 1 },
    ]);
    expect((await read(by, '&passport=ada&surface=chat')).total).toMatchObject({ events: 1, tokens_out: 10 });
    expect((await read(of('nobody'))).rows).toEqual([]);
  });

  it('has pages that meet', async () => {
    const whole = (await read(of(tenant), '&group_by=day,passport,model')).rows;
    const seen: unknown[] = [];
    for (let cursor = ''; ;) {
      const page = await read(of(tenant), `&group_by=day,passport,model&limit=1${cursor}`);
      seen.push(...page.rows);
      expect(page.total.events).toBe(3);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(whole);
  });

  it('has money by the list of the operator alone, and says what has no price', async () => {
    expect((await read(of(tenant))).total.cost).toBeNull();
    const { total } = await read(of(tenant, second));
    expect(total.cost).toEqual({ currency: 'EUR', amount: '0.00036', unpriced_tokens: 17 });
    writeFileSync(prices, LIST.replace('1.5', '15.0'));
    expect((await read(of(tenant, second))).total.cost.amount).toBe('0.00306');
    writeFileSync(prices, 'currency: euros');
    expect((await of(tenant, second)('GET', ROUTE)).status).toBe(503);
    writeFileSync(prices, LIST);
  });

  it('is CSV as well, page by page, and no cell is a formula', async () => {
    const csv = async (path: string) => {
      const headers = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': tenant };
      const answer = await fetch(`${second.url}${path}`, { headers });
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      return { text: await answer.text(), link: answer.headers.get('link') };
    };
    const first = await csv(`${ROUTE}?from=2026-03-01&to=2026-04-30&group_by=project,passport&format=csv&limit=3`);
    expect(first.text.split('\n')).toEqual([
      'project,passport,events,tokens_in,tokens_out,currency,amount,unpriced_tokens',
      ',ada,1,100,10,EUR,0.00018,0',
      ',bob,1,7,10,EUR,0.00,17',
      "'=1+1,cmd,1,100,10,EUR,0.00018,0",
      '',
    ]);
    const [, next] = /^<(\?.*)>; rel="next"$/.exec(first.link!)!;
    const last = await csv(`${ROUTE}${next}`);
    expect([last.text.split('\n')[1], last.link]).toEqual(['p,ada,1,100,10,EUR,0.00018,0', null]);
  });

  it.each([
    ['group_by=week', 'query.group_by'],
    ['group_by=day,day', 'query.group_by'],
    ['from=2026-02-30', 'query.from'],
    ['from=2026-03-02&to=2026-03-01', 'query.from'],
    ['format=xml', 'query.format'],
    ['cursor=x', 'query.cursor'],
  ])('is refused: %s', async (query, member) => {
    const answer = await of(tenant)('GET', `${ROUTE}?${query}`);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(member)]);
  });
});

it('a list that cannot be used stops the start, and says why', async () => {
  const wrong = join(folder, 'wrong.yaml');
  writeFileSync(wrong, 'currency: EUR\nprices: [{ model: m }]\n');
  const env = { SVCD_FEATURE_COST_LENS: '1', SVCD_PRICES_FILE: wrong };
  await expect(startDaemon({ env, database: daemon.database })).rejects.toThrow('SVCD_PRICES_FILE');
});
