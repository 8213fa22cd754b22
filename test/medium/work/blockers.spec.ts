import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { whileLocked } from '../../kit/held-lock.js';
import { made, must, patch } from './given.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const several = (count: number, members: object = {}): Promise<any[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) => made(call, { title: `T${index}`, state: 'ready', ...members })),
  );
const add = (id: string, other: string) => call('PUT', `/v1/work/${id}/blockers/${other}`);
const read = (id: string) => must(call('GET', `/v1/work/${id}`));

describe('a blocker', () => {
  it('keeps an item from being ready until it is done or cancelled, and again when it is opened again', async () => {
    const [item, one, two] = await several(3, { project_id: 'wait' });
    const added = await must(add(item.id, one.id));
    expect(added).toMatchObject({
      changed: true,
      work_id: item.id,
      work: { open_blockers: 1, ready: false, version: 2 },
    });
    await must(add(item.id, two.id));
    expect(await must(add(item.id, two.id))).toMatchObject({ changed: false, work: { open_blockers: 2, version: 3 } });
    const ready = async () =>
      (await must(call('GET', '/v1/work?project_id=wait&ready=true'))).work.map(({ id }: any) => id);
    expect(await ready()).toEqual([one.id, two.id]);
    await must(patch(call, one.id, { state: 'cancelled' }));
    expect(await read(item.id)).toMatchObject({ open_blockers: 1, ready: false });
    for (const state of ['in_progress', 'in_review', 'done']) await must(patch(call, two.id, { state }));
    expect(await read(item.id)).toMatchObject({ open_blockers: 0, ready: true, version: 3 });
    await must(patch(call, two.id, { state: 'ready' }));
    expect(await read(item.id)).toMatchObject({ open_blockers: 1, ready: false });
    const { blockers } = await must(call('GET', `/v1/work/${item.id}/blockers`));
    expect(blockers.map(({ work_id, open }: any) => [work_id, open])).toEqual([
      [one.id, false],
      [two.id, true],
    ]);
    const removed = await must(call('DELETE', `/v1/work/${item.id}/blockers/${two.id}`));
    expect(removed).toMatchObject({ changed: true, work: { open_blockers: 0, ready: true } });
    const again = await must(call('DELETE', `/v1/work/${item.id}/blockers/${two.id}`));
    expect([again.changed, again.blockers.length]).toEqual([false, 1]);
  });

  it('that has ended blocks nothing from the start', async () => {
    const [item, ended] = await several(2);
    await must(patch(call, ended.id, { state: 'cancelled' }));
    expect((await must(add(item.id, ended.id))).work).toMatchObject({ open_blockers: 0, ready: true });
    await must(call('DELETE', `/v1/work/${item.id}/blockers/${ended.id}`));
    expect(await read(item.id)).toMatchObject({ open_blockers: 0 });
  });

  it('is not the item itself, nor one that waits for it, however far away', async () => {
    const items = await several(5);
    const own = await add(items[0].id, items[0].id);
    expect([own.status, own.body.issues[0].path]).toEqual([400, 'path.other']);
    for (const [index, { id }] of items.slice(1).entries()) await must(add(id, items[index].id));
    const refused = await add(items[0].id, items[4].id);
    expect([refused.status, refused.body.path]).toEqual([
      409,
      [items[0].id, ...[...items].reverse().map(({ id }) => id)],
    ]);
    expect((await read(items[0].id)).open_blockers).toBe(0);
  });

  it('makes no circle when many are added at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const items = await several(6);
      const answers = await Promise.all(items.map(({ id }, index) => add(id, items[(index + 1) % items.length].id)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 409]);
    }
  });

  it('is counted right while blockers are added, removed, ended and opened at once', async () => {
    const items = await several(8);
    const pairs = items.flatMap((item, index) =>
      items.slice(0, index).map((blocker) => [item.id, blocker.id] as const),
    );
    const statuses = await Promise.all([
      ...pairs.map(([id, other]) => add(id, other)),
      ...pairs
        .filter((_, index) => index % 3 === 0)
        .map(([id, other]) => call('DELETE', `/v1/work/${id}/blockers/${other}`)),
      ...items.map(({ id }) => patch(call, id, { state: 'cancelled' })),
      ...items.slice(4).map(({ id }) => patch(call, id, { state: 'backlog' })),
    ]);
    expect(statuses.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    for (const { id } of items) {
      const { blockers } = await must(call('GET', `/v1/work/${id}/blockers`));
      expect((await read(id)).open_blockers).toBe(blockers.filter(({ open }: any) => open).length);
    }
  });

  it('does not wait in a circle where an item ended after it was looked at, and is opened again', async () => {
    const [item, blocker] = await several(2);
    await must(add(item.id, blocker.id));
    for (const state of ['in_progress', 'in_review']) await must(patch(call, blocker.id, { state }));
    const lock = `select from work_item where work_id = '${blocker.id}' for update`;
    await whileLocked(daemon.database, lock, async (held) => {
      const opening = patch(call, blocker.id, { state: 'ready' });
      await held.waitForBlocked(1);
      const removing = call('DELETE', `/v1/work/${item.id}/blockers/${blocker.id}`);
      await held.waitForBlocked(2);
      await held.query(`update work_item set state = 'done' where work_id = $1`, [blocker.id]);
      await held.commit();
      expect([(await opening).status, (await removing).status]).toEqual([200, 200]);
    });
  });

  it('can be a hundred, and not more', async () => {
    const [item, ...others] = await several(102);
    for (const other of others.slice(0, 100)) await must(add(item.id, other.id));
    const refused = await add(item.id, others[100].id);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'path.id']);
  });
});
