import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let ada: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_ACTIVITY_LOG: '1' } });
  ada = daemon.as({ scopes: ALL_SCOPES, passport: 'ada' });
  const bo = daemon.as({ scopes: ALL_SCOPES, passport: 'bo' });
  for (const n of [1, 2, 3]) await put(ada, `project:web/part-${n}`, `k${n}`);
  await put(bo, 'project:webby', 'k');
  await put(bo, 'secret:plan', 'k', { private: true });
  await send('POST', '/v1/work', { project_id: 'web', title: 'Trim', created_by_passport: 'ada' });
});
afterAll(() => daemon.close());

async function send(method: string, path: string, body?: unknown, by: DaemonCall = ada): Promise<any> {
  const answer = await by(method, path, body);
  expect([path, answer.status < 300, answer.body?.detail]).toEqual([path, true, undefined]);
  return answer.body;
}
const put = (by: DaemonCall, entity: string, key: string, more: object = {}) =>
  send('PUT', '/v1/facts', { entity, key, value: 'A value.', ...more }, by);

/** Events are shown once no earlier transaction is open any more. */
async function list(query: string, atLeast = 0, by: DaemonCall = ada): Promise<any> {
  for (;;) {
    const found = await send('GET', `/v1/activity?limit=200&${query}`, undefined, by);
    if (found.count >= atLeast) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const subjectsOf = ({ events }: any): string[] => events.map((one: any) => one.data.entity);

describe('the activity of a tenant', () => {
  it('is 404 while its flag is off, and 403 without its scopes', async () => {
    const off = await startDaemon({ database: daemon.database });
    try {
      for (const path of ['/v1/activity', '/v1/activity/stream']) {
        const { status, body } = await off.call('GET', path);
        expect([path, status, body.code, body.flag]).toEqual([path, 404, 'FLAG_OFF', 'SVCD_FEATURE_ACTIVITY_LOG']);
      }
    } finally {
      await off.close();
    }
    const { status, body } = await daemon.as({ scopes: 'facts:write' })('GET', '/v1/activity');
    expect([status, body.code]).toEqual([403, 'MISSING_SCOPE']);
  });

  it('is found by kind, actor, entity, subject and time, newest first', async () => {
    const all = await list('', 6);
    expect(all.events.map((one: any) => one.type)).toEqual(expect.arrayContaining(['fact.stored', 'work.created']));
    expect(subjectsOf(await list('kind=fact.*&actor=ada', 3))).toEqual([
      ...['project:web/part-3', 'project:web/part-2', 'project:web/part-1'],
    ]);
    expect(subjectsOf(await list('entity=project:web', 3)).sort()).toEqual([
      ...['project:web/part-1', 'project:web/part-2', 'project:web/part-3'],
    ]);
    const [first] = (await list('kind=work.created', 1)).events;
    expect(first).toMatchObject({ actor: 'passport:ada', type: 'work.created' });
    expect((await list(`subject=${first.subject}`, 1)).events[0].id).toBe(first.id);
    expect((await list('since=2099-01-01T00:00:00Z')).count).toBe(0);
    expect((await list('until=2099-01-01T00:00:00Z', 6)).count).toBe(all.count);
    expect((await list('kind=nothing.*')).next_cursor).toBeNull();
  });

  it('says nothing of what is private but that it was', async () => {
    const found = await list('actor=bo', 1, daemon.as({ scopes: 'facts:read', passport: 'eve' }));
    expect(JSON.stringify(found)).not.toContain('secret:plan');
  });

  it('comes page by page, each event once', async () => {
    const all = (await list('', 6)).events.map((one: any) => one.id);
    for (const filter of ['', 'kind=fact.*&']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await send('GET', `/v1/activity?${filter}limit=2${cursor && `&cursor=${cursor}`}`);
        expect(page.count).toBeLessThanOrEqual(2);
        expect(page.has_more).toBe(page.next_cursor !== null);
        seen.push(...page.events.map((one: any) => one.id));
        cursor = page.next_cursor;
      } while (cursor);
      expect(new Set(seen).size).toBe(seen.length);
      if (filter === '') expect(seen).toEqual(all);
    }
  });

  it('is of one tenant, and refuses a cursor that is none', async () => {
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    await put(other, 'theirs', 'k');
    expect(JSON.stringify(await list(''))).not.toContain('theirs');
    const { status } = await ada('GET', '/v1/activity?cursor=nonsense');
    expect(status).toBe(400);
  });
});

describe('the stream of activity', () => {
  it('has what is asked for as it happens, and goes on after the last event', async () => {
    const [last] = (await list('', 6)).events;
    const stop = new AbortController();
    const response = await fetch(`${daemon.url}/v1/activity/stream?kind=fact.*&actor=ada`, {
      headers: { 'x-svc-scopes': 'facts:read', 'last-event-id': last.position },
      signal: stop.signal,
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await put(daemon.as({ scopes: ALL_SCOPES, passport: 'bo' }), 'of-bo', 'k');
    await put(ada, 'of-ada', 'k');
    let text = '';
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    while (!text.includes('of-ada')) text += (await reader.read()).value ?? '';
    expect(text).not.toContain('of-bo');
    stop.abort();
    await reader.cancel().catch(() => undefined);
  });
});
