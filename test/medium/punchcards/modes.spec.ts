import { afterAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const open: (TestDaemon | TestDatabase)[] = [];
afterAll(async () => {
  for (const one of open.toReversed()) await ('close' in one ? one.close() : one.drop());
});

async function start(mode: string | undefined, database?: TestDatabase) {
  const env: Record<string, string> = mode === undefined ? {} : { SVCD_PUNCHCARD: mode };
  const daemon = await startDaemon({ env, ...(database ? { database } : {}) });
  open.push(daemon);
  return (passport: string) => daemon.as({ passport, scopes: 'facts:read facts:write' });
}

const ROUTES: [string, string, object?][] = [
  ['GET', '/v1/punchcards'],
  ['GET', '/v1/punchcards/x'],
  ['POST', '/v1/punchcards/acquire', { resource: 'a' }],
  ['POST', '/v1/punchcards/check', { resource: 'a' }],
  ['POST', '/v1/punchcards/check-many', { paths: ['a'] }],
  ['POST', '/v1/punchcards/release', { resource: 'a' }],
  ['POST', '/v1/punchcards/x/renew', {}],
  ['POST', '/v1/punchcards/x/force-release', { confirm: true, reason: 'x' }],
];

describe('SVCD_PUNCHCARD', () => {
  it.each([undefined, 'off', 'enforce\n', 'Enforce', '1'])(
    'as %j answers 501 everywhere, naming the flag',
    async (mode) => {
      const as = await start(mode);
      for (const [method, path, body] of ROUTES) {
        const answer = await as('ada')(method, path, body);
        expect([path, answer.status, answer.body.code, answer.body.flag, answer.body.detail]).toEqual([
          ...[path, 501, 'PLANE_OFF', 'SVCD_PUNCHCARD', expect.stringContaining('SVCD_PUNCHCARD=advisory or enforce')],
        ]);
      }
    },
  );

  it('as advisory tracks and never refuses; the same cards under enforce then do', async () => {
    const database = await freshDatabase();
    open.push(database);
    const advisory = await start('advisory', database);
    const enforce = await start('enforce', database);
    const acquire = (call: ReturnType<typeof advisory>, resource: string) =>
      call('POST', '/v1/punchcards/acquire', { resource });
    const first = await acquire(advisory('ada'), 'src');
    const second = await acquire(advisory('bob'), 'src/a.ts');
    expect([first.status, first.body.error, second.status, second.body.status]).toEqual([200, null, 200, 'held']);
    expect(second.body.error).toContain('ada holds src');
    expect(second.body.conflicts).toMatchObject([{ id: first.body.id, holder_passport: 'ada' }]);
    expect(second.body.fence).toBeGreaterThan(first.body.fence);
    const check = (as: typeof advisory) => as('bob')('POST', '/v1/punchcards/check', { resource: 'src' });
    expect((await check(advisory)).body).toMatchObject({ enforce: false, held_by_other: true });
    expect((await check(enforce)).body).toMatchObject({ enforce: true, held_by_other: true });
    // What advisory let in goes on under enforce, and is in the way of either.
    expect((await acquire(enforce('ada'), 'src')).status).toBe(409);
    expect((await acquire(enforce('eve'), 'src/a.ts')).body.conflicts).toHaveLength(2);
  });
});
