import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IntentSweep } from '../../../src/modules/coordination/intents/intents.sweep.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const announce = async (
  session_id: string,
  project_id: string,
  more: object = {},
  by: DaemonCall = call,
): Promise<any> => {
  const { status, body } = await by('POST', '/v1/coord/announce', { session_id, project_id, ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const active = async (project: string, by: DaemonCall = call): Promise<any[]> =>
  (await by('GET', `/v1/coord/active?project_id=${project}`)).body.intents;
const eventsOf = (session: string) =>
  daemon.database.query<{ kind: string; data: any }>(
    `select kind, data from outbox_event where subject = '${session}' order by transaction, position`,
  );
/** What a session announced ends now. */
const expire = (session: string) =>
  daemon.database.query(`update coord_intent set expires_at = now() - interval '1 ms' where session_id = '${session}'`);

describe('what another announced', () => {
  const as = (passport: string, scopes = 'facts:write'): DaemonCall => daemon.as({ scopes, passport });
  const send = (by: DaemonCall, more: object = {}) =>
    by('POST', '/v1/coord/announce', { session_id: 'owned', project_id: 'owners', ...more });

  it('stays until it ends, or its own passport or an operator clears it', async () => {
    const { intent } = await announce('owned', 'owners', { paths: ['src'] }, as('ada'));
    for (const more of [{}, { ttl_seconds: 0 }, { project_id: 'elsewhere', ttl_seconds: 0 }]) {
      const { status, body } = await send(as('bob'), more);
      expect([status, body.type, body.by_passport]).toEqual([403, 'urn:svc:errors/intent-of-another', 'ada']);
    }
    // A name in the body is no proof.
    expect((await send(daemon.as({ scopes: 'facts:write' }), { by_passport: 'ada', ttl_seconds: 0 })).status).toBe(403);
    expect(await active('owners')).toEqual([intent]);
    expect((await send(as('ada'), { ttl_seconds: 0 })).body.cleared).toBe(true);
    await announce('owned', 'owners', {}, as('ada'));
    expect((await send(as('root', ALL_SCOPES), { ttl_seconds: 0 })).body.cleared).toBe(true);
  });

  it('is free for others once it has ended', async () => {
    await announce('owned', 'owners', {}, as('ada'));
    await expire('owned');
    expect((await announce('owned', 'owners', {}, as('bob'))).intent.by_passport).toBe('bob');
  });

  it('is seen by who announces for the same session at the same time in another project', async () => {
    const both = await Promise.all([
      send(as('ada'), { session_id: 'twice', project_id: 'left' }),
      send(as('bob'), { session_id: 'twice', project_id: 'right' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});

describe('an announcement', () => {
  it('is read back as it was made', async () => {
    const by = daemon.as({ scopes: ALL_SCOPES, passport: 'codex:7' });
    const sent = {
      ...{ session_id: 's1', project_id: 'whole', by_passport: 'codex:7', execplan_slug: 'checkout', milestone: 'M3' },
      ...{ deploy_target: 'production', paths: ['src/pay', 'docs/*.md'], note: 'Moves the tax code.', ttl_seconds: 60 },
    };
    const { body } = await by('POST', '/v1/coord/announce', sent);
    expect(body).toEqual({
      intent: {
        ...sent,
        intent_id: expect.any(String),
        announced_at: expect.any(String),
        expires_at: expect.any(String),
      },
      ...{ overlaps: [], live_peer_intents: [], cleared: false, truncated: false },
    });
    expect(await active('whole')).toEqual([body.intent]);
    const { announced_at, expires_at } = body.intent;
    expect(Date.parse(expires_at) - Date.parse(announced_at)).toBe(60_000);
  });

  it('holds for 900 seconds, names the acting passport and no paths where nothing is said', async () => {
    const by = daemon.as({ scopes: ALL_SCOPES, passport: 'quiet' });
    const { intent } = await announce('s1', 'defaults', {}, by);
    expect(intent).toMatchObject({ ttl_seconds: 900, by_passport: 'quiet', paths: [], note: null, milestone: null });
    expect((await announce('s2', 'defaults')).intent.by_passport).toBe(null);
  });

  it('takes the place of what the session announced before, in another project too', async () => {
    const first = await announce('moving', 'from', { paths: ['a'], deploy_target: 'x', note: 'old' });
    const second = await announce('moving', 'from', { paths: ['b'] });
    expect(second.intent.intent_id).not.toBe(first.intent.intent_id);
    expect(await active('from')).toEqual([second.intent]);
    expect(second.intent).toMatchObject({ paths: ['b'], deploy_target: null, note: null });
    const third = await announce('moving', 'to');
    expect([await active('from'), await active('to')]).toEqual([[], [third.intent]]);
  });

  it('with ttl_seconds 0 clears it, and says whether there was any', async () => {
    await announce('clearing', 'clear', { paths: ['a'] });
    const cleared = await announce('clearing', 'clear', { ttl_seconds: 0 });
    expect(cleared).toEqual({ intent: null, overlaps: [], live_peer_intents: [], cleared: true, truncated: false });
    expect(await active('clear')).toEqual([]);
    expect((await announce('clearing', 'clear', { ttl_seconds: 0 })).cleared).toBe(false);
    expect((await eventsOf('clearing')).map(({ kind }) => kind)).toEqual(['intent.announced', 'intent.cleared']);
  });

  it('leaves an event, and no receipt', async () => {
    const { intent } = await announce('loud', 'events', { paths: ['src'], note: 'for people alone' });
    expect(await eventsOf('loud')).toEqual([
      {
        kind: 'intent.announced',
        data: {
          ...{ intentId: intent.intent_id, sessionId: 'loud', projectId: 'events', byPassport: null },
          ...{ execplanSlug: null, milestone: null, deployTarget: null, paths: ['src'], overlaps: 0 },
          ...{ expiresAt: intent.expires_at, actor: 'anonymous' },
        },
      },
    ]);
    expect(await daemon.database.query(`select kind from receipt where kind like 'intent.%'`)).toEqual([]);
  });

  it.each([
    [{ project_id: 'p' }, 'body.session_id'],
    [{ session_id: 's' }, 'body.project_id'],
    [{ session_id: '', project_id: 'p' }, 'body.session_id'],
    [{ session_id: 's', project_id: 'p', ttl_seconds: 86_401 }, 'body.ttl_seconds'],
    [{ session_id: 's', project_id: 'p', ttl_seconds: -1 }, 'body.ttl_seconds'],
    [{ session_id: 's', project_id: 'p', paths: ['ok', '../up'] }, 'body.paths[1]'],
    [{ session_id: 's', project_id: 'p', paths: 'src' }, 'body.paths'],
    [{ session_id: 's', project_id: 'p', paths: Array<string>(33).fill('a') }, 'body.paths'],
    [{ session_id: 's', project_id: 'p', by_passport: 'not one' }, 'body.by_passport'],
  ])('is refused as %j, by the member', async (body, path) => {
    const answer = await call('POST', '/v1/coord/announce', body);
    expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, path]);
  });

  it('cannot be made in the name of another passport', async () => {
    const by = daemon.as({ scopes: ALL_SCOPES, passport: 'me' });
    const body = { session_id: 's', project_id: 'names', by_passport: 'you' };
    const answer = await by('POST', '/v1/coord/announce', body);
    expect([answer.status, answer.body.code]).toEqual([403, 'PASSPORT_HEADER_MISMATCH']);
    expect(await active('names')).toEqual([]);
  });
});

describe('overlaps', () => {
  it('say with whom, what, and since when; and refuse nothing', async () => {
    const theirs = { by_passport: 'peer', paths: ['src/pay/**'], deploy_target: 'Production', milestone: 'M1' };
    const peer = await announce('peer', 'meet', theirs);
    const mine = { paths: ['src/pay/tax.ts', 'docs'], deploy_target: 'production', milestone: 'M1' };
    const { intent, overlaps, live_peer_intents } = await announce('own', 'meet', mine);
    const { announced_at: since, expires_at } = peer.intent;
    const about = { session_id: 'peer', by_passport: 'peer', since, expires_at };
    expect(overlaps).toEqual([
      { ...about, kind: 'path', mine: 'src/pay/tax.ts', theirs: 'src/pay/**' },
      { ...about, kind: 'deploy_target', mine: 'production', theirs: 'Production' },
      { ...about, kind: 'milestone', mine: 'M1', theirs: 'M1' },
    ]);
    expect(live_peer_intents).toEqual([peer.intent]);
    expect(await active('meet')).toEqual([intent, peer.intent]);
    expect((await eventsOf('own'))[0]!.data.overlaps).toBe(3);
  });

  it('count from when the other session began, however often it announces again', async () => {
    const first = await announce('steady', 'ages', { paths: ['src'] });
    const again = await announce('steady', 'ages', { paths: ['src'] });
    const { overlaps } = await announce('late', 'ages', { paths: ['src'] });
    expect([overlaps[0].since, overlaps[0].expires_at]).toEqual([first.intent.announced_at, again.intent.expires_at]);
    await expire('steady');
    const restarted = await announce('steady', 'ages', { paths: ['src'] });
    expect((await announce('late', 'ages', { paths: ['src'] })).overlaps[0].since).toBe(restarted.intent.announced_at);
  });

  it('are not with itself, another project, or what has expired', async () => {
    await announce('self', 'apart', { paths: ['src'] });
    await announce('elsewhere', 'apart-too', { paths: ['src'] });
    await announce('over', 'apart', { paths: ['src'] });
    await expire('over');
    const { overlaps, live_peer_intents } = await announce('self', 'apart', { paths: ['src'] });
    expect([overlaps, live_peer_intents]).toEqual([[], []]);
  });

  it('of those that announce at the same time are seen by all but the first', async () => {
    const sessions = Array.from({ length: 6 }, (_, index) => `race-${index}`);
    const answers = await Promise.all(sessions.map((session) => announce(session, 'race', { paths: ['src'] })));
    expect(answers.map(({ overlaps }) => overlaps.length).sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('are bounded, and the answer says so', async () => {
    const paths = Array.from({ length: 32 }, (_, index) => `src/${index}`);
    await daemon.database.query(
      `insert into coord_intent (tenant_id, session_id, intent_id, project_id, announced_by, paths, expires_at)
       select 'default', 'crowd-' || n, gen_random_uuid(), 'crowd', 'x', '{${paths.join(',')}}', now() + interval '1 hour'
       from generate_series(1, 300) n`,
    );
    const { overlaps, live_peer_intents, truncated } = await announce('lost', 'crowd', { paths });
    expect([live_peer_intents.length, truncated, overlaps.length >= 500, overlaps.length < 532]).toEqual([
      ...[200, true],
      ...[true, true],
    ]);
  });
});

describe('what has expired', () => {
  it('is not shown, and removed by the sweep alone', async () => {
    await announce('gone', 'expiry', { paths: ['src'] });
    await announce('there', 'expiry');
    await expire('gone');
    expect((await active('expiry')).map(({ session_id }) => session_id)).toEqual(['there']);
    const rows = () => daemon.database.query(`select from coord_intent where project_id = 'expiry'`);
    expect(await rows()).toHaveLength(2);
    expect((await announce('gone', 'expiry', { ttl_seconds: 0 })).cleared).toBe(false);
    await announce('gone', 'expiry');
    await expire('gone');
    await daemon.app.get(IntentSweep).sweep();
    expect(await rows()).toHaveLength(1);
  });
});

describe('live intents', () => {
  it('are listed page by page, of one project or of all', async () => {
    for (const session of ['c', 'a', 'b']) await announce(`pages-${session}`, 'pages');
    const seen: string[] = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await call('GET', `/v1/coord/active?project_id=pages&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(body.count).toBe(body.intents.length);
      seen.push(...body.intents.map((one: any) => one.session_id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['pages-a', 'pages-b', 'pages-c']);
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'with-two-projects' });
    for (const project of ['p1', 'p2']) await announce(project, project, {}, other);
    const { body } = await other('GET', '/v1/coord/active');
    expect(body.intents.map((one: any) => one.project_id)).toEqual(['p1', 'p2']);
  });
});

describe('another tenant', () => {
  it('sees nothing of it, meets nothing of it, and has sessions of its own', async () => {
    const foreign = daemon.as({ scopes: ALL_SCOPES, tenant: 'umbrella' });
    const own = await announce('shared-name', 'secret', { paths: ['src'] });
    expect(await active('secret', foreign)).toEqual([]);
    const theirs = await announce('other', 'secret', { paths: ['src'] }, foreign);
    expect([theirs.overlaps, theirs.live_peer_intents]).toEqual([[], []]);
    expect((await announce('shared-name', 'secret', { ttl_seconds: 0 }, foreign)).cleared).toBe(false);
    expect(await active('secret')).toEqual([own.intent]);
  });
});

describe('with SVCD_EPHEMERAL_GC', () => {
  it('a passport keeps the 32 sessions that announced last; those before them end, each with an event', async () => {
    const capped = await startDaemon({ database: daemon.database, env: { SVCD_EPHEMERAL_GC: '1' } });
    const as = (passport: string): DaemonCall => capped.as({ scopes: ALL_SCOPES, passport });
    const [busy, other] = [as('busy'), as('other')];
    await announce('capped-other', 'capped', {}, other);
    for (let n = 0; n < 34; n++) await announce(`capped-${n}`, n % 2 === 0 ? 'capped' : 'capped-too', {}, busy);
    const of = async (project: string) => (await active(project)).map(({ session_id }) => session_id as string);
    const left = [...(await of('capped')), ...(await of('capped-too'))];
    expect([left.length, left.includes('capped-other')]).toEqual([33, true]);
    for (const ended of ['capped-0', 'capped-1']) {
      expect(left).not.toContain(ended);
      expect((await eventsOf(ended)).map(({ kind }) => kind)).toEqual(['intent.announced', 'intent.cleared']);
    }
    await capped.close();
  });
});

describe('the flag and the scopes', () => {
  it('off, nothing is there', async () => {
    const plain = await startDaemon({ database: daemon.database, env: { SVCD_COORD: '0' } });
    const answers = [await plain.call('GET', '/v1/coord/active'), await plain.call('POST', '/v1/coord/announce', {})];
    expect(answers.map(({ status, body }) => [status, body.code, body.flag])).toEqual(
      answers.map(() => [404, 'FLAG_OFF', 'SVCD_COORD']),
    );
    await plain.close();
  });

  it.each([
    ['admin:read', 200, 403],
    ['facts:write', 403, 200],
    ['admin:write', 403, 200],
    ['facts:read', 403, 403],
  ])('%s alone reads %i and announces %i', async (scopes, reads, writes) => {
    const by = daemon.as({ scopes });
    const body = { session_id: 'scoped', project_id: 'scopes' };
    const answers = [await by('GET', '/v1/coord/active'), await by('POST', '/v1/coord/announce', body)];
    expect(answers.map(({ status }) => status)).toEqual([reads, writes]);
  });
});
