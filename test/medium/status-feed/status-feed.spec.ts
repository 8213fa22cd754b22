import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser } from '../../kit/database.js';
import { EventStream } from '../live/event-stream.js';

let daemon: TestDaemon;
let off: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_STATUS_FEED: '1', SVCD_ORCHESTRATORS: '1' } });
  off = await startDaemon({ database: daemon.database });
});
afterAll(async () => {
  await off.close();
  await daemon.close();
});

const FEED = '/v1/status-feed';
const KEYS = ['enabled', 'events', 'feature_flag', 'next_cursor', 'note'];
const as = (tenant: string) => daemon.as({ scopes: ALL_SCOPES, tenant });
const feed = async (tenant: string, query = '') => (await as(tenant)('GET', `${FEED}${query}`)).body;
/** The feed once it has so many events: one is held back while an older transaction runs, of whatever tenant. */
const feedOf = async (size: number, tenant: string, query = '') => {
  let body = await feed(tenant, query);
  while (body.events.length < size) body = await feed(tenant, query);
  return body;
};
const open = (tenant: string, lastEventId?: string, path = FEED) =>
  EventStream.open(
    daemon.url,
    {
      ...{ 'x-svc-scopes': 'admin:read', 'x-svc-tenant-id': tenant, accept: 'text/event-stream' },
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    path,
  );

const announce = (tenant: string, session_id: string, ttl_seconds = 60) =>
  as(tenant)('POST', '/v1/coord/announce', { session_id, project_id: 'p', ttl_seconds });
const orchestrate = async (tenant: string) => {
  const { body } = await as(tenant)('POST', '/v1/orchestrators', { name: 'x' });
  const id = body.orchestrator.orchestrator_id as string;
  await as(tenant)('POST', `/v1/orchestrators/${id}/members`, { ref: 'p' });
  return id;
};
/** Something that is none of coordination. */
const remember = (tenant: string) => as(tenant)('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' });
/** Events of kinds that other modules write. */
const given = (tenant: string, ...events: [kind: string, subject: string, data?: object][]) =>
  daemon.database.query(
    `insert into outbox_event (tenant_id, event_id, kind, subject, data)
     select '${tenant}', gen_random_uuid(), e.kind, e.subject, e.data
     from json_to_recordset('${JSON.stringify(events.map(([kind, subject, data = {}]) => ({ kind, subject, data })))}')
       e(kind text, subject text, data jsonb)`,
  );
const typesOf = (events: any[]) => events.map(({ type }) => type);

describe('the status feed, off', () => {
  it('answers 200, says so and names the setting, whatever was asked for', async () => {
    for (const headers of [{}, { accept: 'text/event-stream' }] as Record<string, string>[]) {
      const { status, body } = await off.call('GET', FEED, undefined, headers);
      expect([status, Object.keys(body).sort()]).toEqual([200, KEYS]);
      expect(body).toMatchObject({ events: [], enabled: false, feature_flag: 'SVCD_STATUS_FEED', next_cursor: null });
      expect(body.note).toContain('SVCD_STATUS_FEED=1');
    }
  });

  it('asks for its scope all the same', async () => {
    for (const one of [off, daemon]) {
      expect((await one.as({ scopes: 'facts:read' })('GET', FEED)).status).toBe(403);
      expect((await one.as({})('GET', FEED)).status).toBe(401);
    }
  });
});

describe('the status feed', () => {
  it('has the events of coordination, newest first, and no others', async () => {
    await announce('kinds', 's1');
    await remember('kinds');
    const id = await orchestrate('kinds');
    await announce('kinds', 's1', 0);
    const body = await feedOf(4, 'kinds');
    expect([Object.keys(body).sort(), body.enabled]).toEqual([KEYS, true]);
    expect(typesOf(body.events)).toEqual([
      ...['intent.cleared', 'orchestrator.changed', 'orchestrator.created'],
      'intent.announced',
    ]);
    expect(body.events[2]).toMatchObject({ subject: id, tenant_id: 'kinds', data: { orchestratorId: id, version: 1 } });
  });

  it('is read page by page, also while more happens', async () => {
    for (let i = 0; i < 5; i += 1) await announce('pages', `s${i}`);
    await feedOf(5, 'pages');
    const subjects: string[] = [];
    for (let cursor = ''; cursor !== null;) {
      const body = await feed('pages', `?limit=2${cursor && `&cursor=${cursor}`}`);
      subjects.push(...body.events.map((event: any) => event.subject));
      cursor = body.next_cursor;
      await announce('pages', 'later');
    }
    expect(subjects).toEqual(['s4', 's3', 's2', 's1', 's0']);
  });

  it('of a work item has what is about it, its gates and leases too', async () => {
    await given(
      'items',
      ['work.created', 'w1'],
      ['work.created', 'w2'],
      ['gate.requested', 'g1', { workId: 'w1' }],
      ['work.claimed', 'w1', { workId: 'w1', fence: 1 }],
      ['punchcard.acquired', 'src'],
      ['fact.stored', 'w1'],
    );
    const { events } = await feedOf(3, 'items', '?work_id=w1');
    expect(typesOf(events)).toEqual(['work.claimed', 'gate.requested', 'work.created']);
    expect((await feed('items', '?work_id=w3')).events).toEqual([]);
    expect((await feed('items')).events).toHaveLength(5);
  });

  it('reads few among many by its indexes', async () => {
    await asSuperuser(
      daemon.database,
      `insert into outbox_event (tenant_id, event_id, kind, subject, data)
       select 'busy', gen_random_uuid(), 'fact.stored', 's', '{}' from generate_series(1, 20000);
       analyze outbox_event`,
    );
    const plan = async (about: string) =>
      JSON.stringify(
        await daemon.database.query(
          `explain select 1 from outbox_event where tenant_id = 'busy'
             and split_part(kind, '.', 1) = any (array['work', 'gate', 'lease', 'punchcard', 'intent', 'orchestrator']) ${about}
             and transaction < pg_snapshot_xmin(pg_current_snapshot()) and (transaction, position) < ('9223372036854775807'::xid8, 1)
           order by transaction desc, position desc limit 50`,
        ),
      );
    expect(await plan('')).toContain('outbox_event_coordination');
    expect(await plan(`and coalesce(data ->> 'workId', data ->> 'work_id', subject) = 'w'`)).toContain(
      'outbox_event_work',
    );
  });

  it.each([
    ['?cursor=x', 'query.cursor'],
    ['?limit=0', 'query.limit'],
    ['?limit=201', 'query.limit'],
    ['?work_id=', 'query.work_id'],
  ])('%s is refused by its name', async (query, path) => {
    const { status, body } = await daemon.call('GET', `${FEED}${query}`);
    expect([status, body.issues?.[0].path]).toEqual([400, path]);
  });

  it('of another tenant has nothing of it', async () => {
    await announce('mine', 's');
    await feedOf(1, 'mine');
    expect((await feed('theirs')).events).toEqual([]);
    const { next_cursor } = await feed('pages', '?limit=1');
    expect((await feed('theirs', `?cursor=${next_cursor}`)).events).toEqual([]);
  });
});

describe('the feed as a stream', () => {
  it('delivers what happens in coordination, in its order, and nothing else', async () => {
    await remember('live');
    const stream = await open('live');
    await remember('live');
    await announce('live', 's1');
    await announce('other', 'foreign');
    const id = await orchestrate('live');
    const received = [await stream.next(), await stream.next(), await stream.next()];
    expect(received.map(({ name, data }) => [name, data.subject])).toEqual([
      ['intent.announced', 's1'],
      ['orchestrator.created', id],
      ['orchestrator.changed', id],
    ]);
    await stream.close();
  });

  it('goes on after the event that was seen last, also one that a list showed', async () => {
    for (const session of ['s1', 's2', 's3']) {
      await announce('resume', session);
      await remember('resume');
    }
    const { events } = await feedOf(3, 'resume');
    const first = await open('resume', events.at(-1).position);
    const second = await first.next();
    await first.close();
    const again = await open('resume', second.id);
    expect([second.data.subject, (await again.next()).data.subject]).toEqual(['s2', 's3']);
    await again.close();
  });

  it('of a work item has that alone', async () => {
    const stream = await open('live', undefined, `${FEED}?work_id=w1`);
    await given('live', ['work.changed', 'w2'], ['gate.requested', 'g', { workId: 'w1' }], ['work.changed', 'w1']);
    await announce('live', 's9');
    const received = [await stream.next(), await stream.next()];
    expect(received.map(({ name, data }) => [name, data.subject])).toEqual([
      ['gate.requested', 'g'],
      ['work.changed', 'w1'],
    ]);
    await stream.close();
  });

  it('asks for an id that can be one of its own', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': 'abc' };
    const { status, body } = await daemon.call('GET', FEED, undefined, headers);
    expect([status, body.issues?.[0].path]).toEqual([400, 'headers.last-event-id']);
  });
});

describe('the stream of all events', () => {
  it('has one of each kind of intents and orchestrators', async () => {
    await remember('all');
    const stream = await open('all', undefined, '/v1/events/stream');
    await announce('all', 's');
    await announce('all', 's', 0);
    await orchestrate('all');
    const names: string[] = [];
    while (names.length < 4) {
      const { name } = await stream.next();
      if (/^(intent|orchestrator)\./.test(name)) names.push(name);
    }
    expect(names).toEqual(['intent.announced', 'intent.cleared', 'orchestrator.created', 'orchestrator.changed']);
    await stream.close();
  });
});
