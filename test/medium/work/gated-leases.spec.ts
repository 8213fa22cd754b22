import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { acting, force, made, must, patch } from './given.js';

let daemon: TestDaemon;
let call: DaemonCall;
let ada: DaemonCall;
let bob: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
  ada = acting(daemon, 'ada');
  bob = acting(daemon, 'bob');
});
afterAll(() => daemon.close());

const read = (id: string) => must(call('GET', `/v1/work/${id}`));
const approve = (gate: string) => must(bob('POST', `/v1/work/gate/${gate}/approve`, {}));
const setPolicy = (project_id: string, moves: string[]) =>
  must(call('PUT', '/v1/work/gate/policy', { project_id, moves }));

describe('a lease of what the gate policy names', () => {
  const held = { by_passport: 'ada' };
  const claim = (id: string) => ada('POST', `/v1/work/${id}/claim`, held);
  const claimNext = (project_id: string) => ada('POST', '/v1/work/claim-next', { ...held, project_id });
  const release = (id: string, fence: number) => ada('POST', `/v1/work/${id}/release`, { ...held, fence });
  const needed = (from: string, to: string) => ({ code: 'MOVE_NEEDS_APPROVAL', status: 409, from, to });

  it.each(['ready>in_progress', 'ready>*', '*>in_progress', '*>*'])('is not got past it: %s', async (move) => {
    const project_id = `begins-${move.replaceAll(/\W/g, '-')}`;
    const { id } = await made(ada, { project_id, state: 'ready' });
    await setPolicy(project_id, [move]);
    const refused = await claim(id);
    expect(refused.body).toMatchObject({ ...needed('ready', 'in_progress'), work_id: id, project_id });
    expect(refused.body.detail).toContain('PATCH /v1/work/{id}');
    const next = await Promise.all(Array.from({ length: 3 }, () => claimNext(project_id)));
    expect(next.map(({ status, body }) => [status, body.work])).toEqual(next.map(() => [200, null]));
    expect(await read(id)).toMatchObject({ state: 'ready', version: 1 });

    const { queued } = await must(patch(ada, id, { state: 'in_progress' }));
    await approve(queued[0].action_id);
    expect((await must(claim(id))).work).toMatchObject({ state: 'in_progress', assignee_passport: 'ada' });
    expect((await must(claim(id))).reentrant).toBe(true);
  });

  it('leaves what others may begin to claims of any project', async () => {
    await setPolicy('kept', ['ready>in_progress']);
    await made(ada, { project_id: 'kept', state: 'ready', priority: 0, labels: ['any'] });
    const free = await made(ada, { project_id: 'unkept', state: 'ready', labels: ['any'] });
    const next = await must(ada('POST', '/v1/work/claim-next', { ...held, labels: ['any'] }));
    expect(next.work.id).toBe(free.id);
  });

  it('is not given back past it, alone or with others; its time frees it, and an approval does', async () => {
    const project_id = 'gives-back';
    const items = [];
    for (let n = 0; n < 4; n += 1) items.push(await made(ada, { project_id, state: 'ready' }));
    const fences: number[] = [];
    for (const { id } of items) fences.push((await must(claim(id))).lease.fence);
    await setPolicy(project_id, ['in_progress>ready']);
    const released = await Promise.all(items.map(({ id }, n) => release(id, fences[n]!)));
    for (const { body } of released) expect(body).toMatchObject(needed('in_progress', 'ready'));
    const [timed, reviewed, forced, approved] = items.map(({ id }) => id as string);
    expect((await read(timed!)).state).toBe('in_progress');

    await force(daemon, `update lease set expires_at = now() - interval '1 second' where fence = $1`, [fences[0]]);
    await force(daemon, `update work_item set lease_expires_at = now() - interval '1 second' where work_id = $1`, [
      timed,
    ]);
    expect((await read(timed!)).state).toBe('ready');
    await must(patch(ada, reviewed!, { state: 'in_review' }));
    expect((await must(release(reviewed!, fences[1]!))).work.state).toBe('in_review');
    expect(
      (await must(call('POST', `/v1/work/${forced}/force-release`, { confirm: true, reason: 'x' }))).work.state,
    ).toBe('ready');
    const { queued } = await must(patch(ada, approved!, { state: 'ready' }));
    expect((await approve(queued[0].action_id)).work_version).toBe(3);
    expect(await read(approved!)).toMatchObject({ state: 'ready', lease: null });
  });
});
