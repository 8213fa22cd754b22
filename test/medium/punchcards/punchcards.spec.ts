import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../kit/app.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
/** Agents of the tenant `default`, in enforce. */
let ada: DaemonCall;
let bob: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_PUNCHCARD: 'enforce', SVCD_RATE_LIMIT_RPS: '0' } });
  ada = agent('ada');
  bob = agent('bob');
});
afterAll(() => daemon.close());

const agent = (passport: string, tenant = 'default') =>
  daemon.as({ passport, tenant, scopes: 'facts:read facts:write receipts:read' });
const acquire = (call: DaemonCall, resource: string, more: object = {}) =>
  call('POST', '/v1/punchcards/acquire', { resource, ...more });
const release = (call: DaemonCall, body: object, headers?: Record<string, string>) =>
  call('POST', '/v1/punchcards/release', body, headers);
const force = (call: DaemonCall, id: string, body: object) => call('POST', `/v1/punchcards/${id}/force-release`, body);
const eventsOf = (id: string) =>
  daemon.database.query<any>('select kind, data from outbox_event where subject = $1 order by position', [id]);
const receiptsOf = async (id: string) =>
  (await daemon.database.query<{ kind: string }>('select kind from receipt where subject = $1 order by seq', [id])).map(
    ({ kind }) => kind,
  );
/** Its payload: CBOR, in which text stands as it is. */
const readReceipt = async (id: string) => {
  const { body } = await ada('GET', `/v1/receipts/${id}?tenant_id=default`);
  return Buffer.from(body.payload_base64, 'base64').toString('utf8');
};
/** Lets the time of a punchcard pass. */
const expire = (id: string) =>
  daemon.database.query(`update lease set expires_at = clock_timestamp() - interval '1 ms' where lease_id = $1`, [id]);
const codes = (answers: Answer[]) => answers.map(({ status, body }) => [status, body.code]);

describe('acquire', () => {
  it('answers the record, with the fence, and leaves a receipt and an event', async () => {
    const { status, body } = await acquire(ada, './src/record/', { reason: 'refactor', ttl_secs: 60 });
    const times = body.expires_at_unix_ms - body.acquired_at_unix_ms;
    expect([status, times, body.renew_before_unix_ms - body.acquired_at_unix_ms]).toEqual([200, 60_000, 40_000]);
    expect(body).toEqual({
      ...{ id: body.id, resource: 'src/record', mode: 'write', status: 'held', held_by: 'ada', holder_passport: 'ada' },
      ...{ reason: 'refactor', tenant_id: 'default', reentrant: false, fence: body.fence, error: null, conflicts: [] },
      ...{ acquired_at_unix_ms: body.acquired_at_unix_ms, expires_at_unix_ms: body.expires_at_unix_ms },
      ...{ renew_before_unix_ms: body.renew_before_unix_ms, receipt_acquire: body.receipt_acquire, receipt_end: null },
      ...{ ended_at_unix_ms: null, release_commit_sha: null },
    });
    expect(await readReceipt(body.receipt_acquire)).toContain('src/record');
    const [event] = await eventsOf(body.id);
    expect([event.kind, event.data.resource, event.data.fence, event.data.actor]).toEqual([
      ...['punchcard.acquired', 'src/record', body.fence, 'passport:ada'],
    ]);
  });

  it('lasts 900 s unless said, and is for whom the body names', async () => {
    const { body } = await acquire(ada, 'src/default', { holder_passport: 'worker' });
    expect([body.expires_at_unix_ms - body.acquired_at_unix_ms, body.held_by, body.holder_passport]).toEqual([
      ...[900_000, 'ada', 'worker'],
    ]);
  });

  it('again by the same holder extends what it has', async () => {
    const first = await acquire(ada, 'src/again', { mode: 'read', ttl_secs: 60 });
    const second = await acquire(ada, 'src//again', { mode: 'write', ttl_secs: 600 });
    const third = await acquire(ada, 'src/again', { mode: 'read', ttl_secs: 5 });
    expect([second.body.id, second.body.fence, second.body.reentrant]).toEqual([first.body.id, first.body.fence, true]);
    expect([first.body.mode, second.body.mode, third.body.mode]).toEqual(['read', 'write', 'write']);
    expect(second.body.expires_at_unix_ms).toBeGreaterThan(first.body.expires_at_unix_ms + 500_000);
    expect(third.body.expires_at_unix_ms).toBe(second.body.expires_at_unix_ms);
    expect(await receiptsOf(first.body.id)).toEqual(['punchcard.acquired', 'punchcard.renewed', 'punchcard.renewed']);
  });

  it.each([
    ['conflict/a', 'conflict/a'],
    ['conflict/b', 'conflict/b/deep/file.ts'],
    ['conflict/c/deep', 'conflict/c'],
    ['conflict/d/*.ts', 'conflict/d/x.ts'],
    ['conflict/e/x*', 'conflict/e/*y'],
    ['conflict/f/**/z', 'conflict/f/y/z'],
    ['acme/shop:conflict/g', 'conflict/g'],
  ])('of %s refuses %s to another, naming the holder', async (held, asked) => {
    const { body } = await acquire(ada, held);
    const refused = await acquire(bob, asked);
    expect([refused.status, refused.body.code, refused.body.resource]).toEqual([409, 'PUNCHCARD_HELD', asked]);
    const { id, fence, expires_at_unix_ms } = body;
    expect(refused.body.conflicts).toEqual([
      { id, fence, expires_at_unix_ms, resource: held, mode: 'write', holder_passport: 'ada' },
    ]);
    expect(refused.body.detail).toContain(`ada holds ${held}`);
    expect(
      await daemon.database.query('select from lease where subject = $1 and holder_passport = $2', [asked, 'bob']),
    ).toEqual([]);
  });

  it('lets readers share, and keeps them and a writer off each other', async () => {
    const answers = [
      await acquire(ada, 'shared', { mode: 'read' }),
      await acquire(bob, 'shared', { mode: 'read' }),
      await acquire(agent('eve'), 'shared/part', { mode: 'write' }),
      // Its own reading is in nobody's way, that of bob is.
      await acquire(ada, 'shared', { mode: 'write' }),
    ];
    expect(codes(answers)).toEqual([
      [200, undefined],
      [200, undefined],
      [409, 'PUNCHCARD_HELD'],
      [409, 'PUNCHCARD_HELD'],
    ]);
    expect(answers[2]!.body.conflicts.map((one: any) => one.holder_passport).sort()).toEqual(['ada', 'bob']);
    expect(answers[3]!.body.conflicts.map((one: any) => one.holder_passport)).toEqual(['bob']);
  });

  it("is not another's by the name of its holder alone", async () => {
    const { body: held } = await acquire(ada, 'named');
    const named = { id: held.id, holder_passport: 'ada' };
    const answers = [
      await acquire(bob, 'named', { holder_passport: 'ada' }),
      await bob('POST', `/v1/punchcards/${held.id}/renew`, { holder_passport: 'ada' }),
      await bob('POST', '/v1/punchcards/release', named),
    ];
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
      '409 PUNCHCARD_HELD',
      '404 PUNCHCARD_NOT_FOUND',
      '404 PUNCHCARD_NOT_FOUND',
    ]);
    expect((await ada('POST', '/v1/punchcards/release', named)).status).toBe(200);
  });

  it('finds free what is past its time, at once, with the records of its end', async () => {
    const { body: old } = await acquire(ada, 'late');
    await expire(old.id);
    const { status, body } = await acquire(bob, 'late');
    expect([status, body.fence > old.fence, await receiptsOf(old.id)]).toEqual([
      ...[200, true, ['punchcard.acquired', 'punchcard.expired']],
    ]);
    const shown = await bob('GET', `/v1/punchcards/${old.id}`);
    expect(shown.body.punchcard).toMatchObject({ status: 'expired', holder_passport: 'ada' });
  });

  it('refuses what is no resource, naming member and remedy', async () => {
    const wrong = [
      '',
      '../x',
      '/etc',
      'C:\\x',
      'a/../b',
      'a/{b,c}',
      `${'x'.repeat(300)}*`,
      'x'.repeat(1025),
      'a\0b',
      '\ud800',
    ];
    for (const resource of wrong) {
      const { status, body } = await acquire(ada, resource);
      expect([resource, status, body.detail]).toEqual([resource, 400, expect.stringContaining('resource')]);
    }
    for (const more of [
      { ttl_secs: 0 },
      { ttl_secs: 86_401 },
      { ttl_secs: 1.5 },
      { mode: 'exclusive' },
      { holder_passport: '' },
      { reason: 'a\0b' },
    ]) {
      const { status, body } = await acquire(ada, 'fine', more);
      expect([more, status, body.detail]).toEqual([more, 400, expect.stringContaining(Object.keys(more)[0]!)]);
    }
  });

  it('bounds what one holder has', async () => {
    const crowd = agent('crowd');
    await daemon.database.query(
      `insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
       select 'default', nextval('lease_fence'), 'path', 'crowd/' || n, 'crowd-' || n, 'write', 'crowd', 'crowd', now(), now(), now() + interval '1 hour'
       from generate_series(1, 500) n`,
    );
    const refused = await acquire(crowd, 'one/more');
    expect([refused.status, refused.body.code, refused.body.limit, refused.body.of]).toEqual([
      ...[409, 'PUNCHCARD_LIMIT', 500, 'holder'],
    ]);
    expect((await acquire(crowd, 'crowd/7')).body.reentrant).toBe(true);
    await daemon.database.query(`delete from lease where holder_passport = 'crowd'`);
  });
});

describe('release', () => {
  it('ends a punchcard, keeping the commit, with a receipt and an event', async () => {
    const { body } = await acquire(ada, 'rel/a');
    const { status, body: answer } = await release(ada, { id: body.id, release_commit_sha: 'abc1234' });
    expect([status, answer.punchcard]).toMatchObject([
      ...[
        200,
        { id: body.id, status: 'released', release_commit_sha: 'abc1234', receipt_end: expect.any(String) as string },
      ],
    ]);
    const events = await eventsOf(body.id);
    expect(events.map(({ kind, data }) => [kind, data.releaseCommitSha])).toEqual([
      ...[
        ['punchcard.acquired', undefined],
        ['punchcard.released', 'abc1234'],
      ],
    ]);
    expect((await acquire(bob, 'rel/a')).status).toBe(200);
  });

  it('goes by resource, in any spelling, and by both where they agree', async () => {
    const { body } = await acquire(ada, 'rel/b');
    const other = await acquire(ada, 'rel/c');
    const disagree = await release(ada, { id: body.id, resource: 'rel/c' });
    expect([disagree.status, disagree.body.detail]).toEqual([400, expect.stringContaining('body.resource')]);
    const neither = await release(ada, {});
    expect([neither.status, neither.body.detail]).toEqual([400, expect.stringContaining('body.id')]);
    expect((await release(ada, { resource: './rel/b/' })).body.punchcard.id).toBe(body.id);
    expect((await release(ada, { id: other.body.id, resource: 'rel/c' })).status).toBe(200);
  });

  it('is for the holder: another, and what has ended, is 404 and changes nothing', async () => {
    const { body } = await acquire(ada, 'rel/d');
    const answers = [
      await release(bob, { id: body.id }),
      await release(bob, { resource: 'rel/d' }),
      await release(ada, { id: body.id, holder_passport: 'bob' }),
      await release(ada, { id: 'nowhere' }),
      await release(ada, { resource: 'rel/nowhere' }),
    ];
    expect(codes(answers)).toEqual(answers.map(() => [404, 'PUNCHCARD_NOT_FOUND']));
    expect(answers[0]!.body.detail).toContain('ada');
    const nobody = daemon.as({ tenant: 'default', scopes: 'facts:write' });
    expect((await release(nobody, { id: body.id, holder_passport: 'ada' })).status).toBe(200);
    expect((await release(ada, { id: body.id })).body.detail).toContain('released');
  });

  it('finds the own one among several of the same resource', async () => {
    await acquire(ada, 'rel/e', { mode: 'read' });
    const own = await acquire(bob, 'rel/e', { mode: 'read' });
    expect((await release(bob, { resource: 'rel/e' })).body.punchcard.id).toBe(own.body.id);
  });

  it('is for whoever acquired it for another, too', async () => {
    const { body } = await acquire(ada, 'rel/f', { holder_passport: 'worker' });
    expect((await release(ada, { id: body.id })).status).toBe(200);
  });

  it('heeds X-Svc-Fence', async () => {
    const { body } = await acquire(ada, 'rel/g');
    const { body: other } = await acquire(ada, 'rel/h');
    const by = (fence: number | string) => release(ada, { id: body.id }, { 'x-svc-fence': String(fence) });
    expect(codes([await by(other.fence), await by(999_999_999), await by('x')])).toEqual([
      ...[
        [409, 'FENCE_STALE'],
        [409, 'FENCE_STALE'],
        [400, 'VALIDATION_FAILED'],
      ],
    ]);
    expect((await by(body.fence)).status).toBe(200);
  });

  it('of a reader by the fence of another reader of the same resource is refused', async () => {
    const mine = await acquire(ada, 'rel/i', { mode: 'read' });
    const theirs = await acquire(bob, 'rel/i', { mode: 'read' });
    const refused = await release(ada, { id: mine.body.id }, { 'x-svc-fence': String(theirs.body.fence) });
    expect([refused.status, refused.body.code]).toEqual([409, 'FENCE_STALE']);
  });
});

describe('renew', () => {
  it('lasts longer under the same fence, by its holder', async () => {
    const { body } = await acquire(ada, 'ren/a', { ttl_secs: 60 });
    const renew = (call: DaemonCall, more = {}) =>
      call('POST', `/v1/punchcards/${body.id}/renew`, { ttl_secs: 600, ...more });
    const { punchcard } = (await renew(ada)).body;
    expect([punchcard.fence, punchcard.status]).toEqual([body.fence, 'held']);
    expect(punchcard.expires_at_unix_ms).toBeGreaterThan(body.expires_at_unix_ms + 500_000);
    expect(codes([await renew(bob), await renew(ada, { ttl_secs: 86_401 })])).toEqual([
      ...[
        [404, 'PUNCHCARD_NOT_FOUND'],
        [400, 'VALIDATION_FAILED'],
      ],
    ]);
    await expire(body.id);
    expect(codes([await renew(ada)])).toEqual([[409, 'LEASE_ENDED']]);
  });
});

describe('force-release', () => {
  it('needs confirm and a reason', async () => {
    const { body } = await acquire(ada, 'forced/a');
    const wrong: [object, string][] = [
      [{}, 'body.confirm'],
      [{ confirm: false, reason: 'x' }, 'body.confirm'],
      [{ confirm: true }, 'body.reason'],
      [{ confirm: true, reason: '  ' }, 'body.reason'],
    ];
    for (const [sent, member] of wrong) {
      const { status, body: answer } = await force(bob, body.id, sent);
      expect([sent, status, answer.detail]).toEqual([sent, 400, expect.stringContaining(member)]);
    }
    expect((await ada('GET', `/v1/punchcards/${body.id}`)).body.punchcard.status).toBe('held');
  });

  it('ends what another holds and says who did it and why', async () => {
    const { body } = await acquire(ada, 'forced/b');
    const { status, body: answer } = await force(bob, body.id, {
      confirm: true,
      reason: 'ada is away',
      by_passport: 'lead',
    });
    expect([status, answer.punchcard.status]).toEqual([200, 'forced']);
    const receipt = await readReceipt(answer.punchcard.receipt_end);
    for (const said of ['punchcard.forced', 'passport:bob', 'lead', 'ada is away']) expect(receipt).toContain(said);
    const [, event] = await eventsOf(body.id);
    expect(event).toMatchObject({ kind: 'punchcard.forced', data: { byPassport: 'lead', endReason: 'ada is away' } });
    expect((await acquire(bob, 'forced/b')).status).toBe(200);
    const again = await force(bob, body.id, { confirm: true, reason: 'again' });
    const nowhere = await force(bob, 'nowhere', { confirm: true, reason: 'again' });
    expect(codes([again, nowhere])).toEqual([
      [404, 'PUNCHCARD_NOT_FOUND'],
      [404, 'PUNCHCARD_NOT_FOUND'],
    ]);
  });
});

describe('check', () => {
  it('says who holds it until when, and is not in the way of the holder', async () => {
    const { body } = await acquire(ada, 'chk/a', { ttl_secs: 600 });
    await acquire(agent('eve'), 'chk/b', { ttl_secs: 60 });
    const check = async (call: DaemonCall, more: object) => (await call('POST', '/v1/punchcards/check', more)).body;
    const held = await check(bob, { resource: 'chk/*' });
    expect([held.conflicts.length, { ...held, conflicts: [] }]).toEqual([
      2,
      {
        ...{ enforce: true, held_by_other: true, holder_passport: 'ada', mode: 'write', resource: 'chk/*' },
        ...{ expires_at_unix_ms: body.expires_at_unix_ms, conflicts: [] },
      },
    ]);
    expect(await check(ada, { resource: 'chk/a', mode: 'read' })).toEqual({
      ...{ enforce: true, held_by_other: false, holder_passport: null, mode: 'read', resource: 'chk/a' },
      ...{ expires_at_unix_ms: null, conflicts: [] },
    });
    expect((await check(bob, { resource: 'chk/a', passport: 'ada' })).held_by_other).toBe(false);
    expect((await bob('POST', '/v1/punchcards/check', { resource: '/x' })).status).toBe(400);
  });

  it('takes a thousand paths at once, and names those that are held', async () => {
    const { body } = await acquire(ada, 'many/**/*.ts');
    const paths = Array.from({ length: 1000 }, (_, n) => `many/dir${n}/file.${n % 250 === 0 ? 'ts' : 'js'}`);
    const check = (call: DaemonCall, more: object) => call('POST', '/v1/punchcards/check-many', { paths, ...more });
    const { body: answer } = await check(bob, {});
    const { id, fence, expires_at_unix_ms, resource } = body;
    const named = { id, fence, expires_at_unix_ms, resource, mode: 'write', holder_passport: 'ada' };
    expect(answer).toEqual({
      ...{ enforce: true, checked: 1000, mode: 'write' },
      held: [0, 250, 500, 750].map((n) => ({ path: `many/dir${n}/file.ts`, ...named })),
    });
    expect((await check(ada, {})).body.held).toEqual([]);
    expect((await check(bob, { paths: [...paths, 'x'] })).status).toBe(400);
    expect((await check(bob, { paths: [] })).status).toBe(400);
    expect((await check(bob, { repo: 'no repo' })).status).toBe(400);
  });
});

describe('the list', () => {
  it('has filters and pages', async () => {
    const lister = agent('lister', 'listed');
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1)
      ids.unshift((await acquire(lister, `list/${n}`, n === 0 ? { holder_passport: 'w' } : {})).body.id);
    await release(lister, { id: ids[0] });
    await expire(ids[1]!);
    const list = async (query: string) => (await lister('GET', `/v1/punchcards?${query}`)).body;
    const idsOf = async (query: string) => (await list(query)).punchcards.map(({ id }: { id: string }) => id);
    expect(await idsOf('')).toEqual(ids);
    expect(await idsOf('status=held')).toEqual(ids.slice(2));
    expect(await idsOf('status=expired')).toEqual([ids[1]]);
    expect(await idsOf('status=released')).toEqual([ids[0]]);
    expect(await idsOf('status=forced')).toEqual([]);
    expect(await idsOf('resource=./list/2')).toEqual([ids[2]]);
    expect(await idsOf('holder_passport=w')).toEqual([ids[4]]);
    expect(await idsOf('holder_passport=lister&holder=lister')).toEqual(ids.slice(0, 4));
    expect(await idsOf('holder=lister')).toEqual(ids);
    const pages = [await list('limit=2')];
    while (pages.at(-1).next_cursor) pages.push(await list(`limit=2&cursor=${pages.at(-1).next_cursor}`));
    expect(pages.map(({ count, has_more }) => [count, has_more])).toEqual([
      [2, true],
      [2, true],
      [1, false],
    ]);
    expect(pages.flatMap(({ punchcards }) => punchcards.map(({ id }: any) => id))).toEqual(ids);
    for (const wrong of ['cursor=x', 'limit=0', 'status=open', 'resource=/x'])
      expect([wrong, (await lister('GET', `/v1/punchcards?${wrong}`)).status]).toEqual([wrong, 400]);
  });
});

describe('two tenants', () => {
  it('neither see nor hinder each other', async () => {
    const here = agent('ada', 'here');
    const there = agent('ada', 'there');
    const { body } = await acquire(here, 'src');
    expect((await acquire(agent('bob', 'there'), 'src')).status).toBe(200);
    expect((await there('POST', '/v1/punchcards/check-many', { paths: ['src/a'], passport: 'bob' })).body.held).toEqual(
      [],
    );
    const answers = [
      await there('GET', `/v1/punchcards/${body.id}`),
      await there('POST', `/v1/punchcards/${body.id}/renew`, {}),
      await release(there, { id: body.id }),
      await force(there, body.id, { confirm: true, reason: 'mine' }),
    ];
    expect(codes(answers)).toEqual(answers.map(() => [404, 'PUNCHCARD_NOT_FOUND']));
    expect((await there('GET', '/v1/punchcards')).body.punchcards).toHaveLength(1);
    expect((await there('GET', '/v1/punchcards?tenant_id=here')).status).toBe(403);
    expect((await acquire(there, 'x', { tenant_id: 'here' })).status).toBe(403);
  });
});
