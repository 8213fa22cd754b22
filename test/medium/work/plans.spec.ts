import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlanFolder } from '../../../src/modules/coordination/work/plans/plan-folder.js';
import { PLAN_LIMITS } from '../../../src/modules/coordination/work/plans/plans.rules.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { made, must, patch } from './given.js';

const base = mkdtempSync(join(tmpdir(), 'svc-plans-'));
const root = join(base, 'root');
const write = (path: string, text: string | Uint8Array): void => {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
};

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  write('root/web/release.md', '# Release\n\n- [x] Measure\n- [~] Speed up\n- [ ] Announce\n');
  write('root/notes.md', '- [ ] Read\n');
  write('root/notes.txt', '- [ ] Not a plan\n');
  write('root/.hidden/a.md', '- [ ] Hidden\n');
  write('outside/secret.md', '- [ ] Outside zyzzyva\n');
  write('root/broken.md', Buffer.from([0x2d, 0x20, 0xff, 0xfe]));
  write('root/large.md', 'x'.repeat(PLAN_LIMITS.bytes + 1));
  symlinkSync(join(base, 'outside/secret.md'), join(root, 'link.md'));
  symlinkSync(join(base, 'outside'), join(root, 'folder'));
  daemon = await startDaemon({ env: { SVC_EXECPLANS_ROOT: root } });
  ({ call } = daemon);
  await made(call, { title: 'On the board', project_id: 'web' });
});
afterAll(async () => {
  await daemon.close();
  rmSync(base, { recursive: true, force: true });
});

const list = (query: string) => must(call('GET', `/v1/work?${query}`));
const titles = ({ work }: any) => work.map(({ title }: any) => title);

describe('plan files', () => {
  it('are work of the source plans, with the state that their check-lists say', async () => {
    const answer = await list('source=plans');
    expect(answer.work.map(({ title, state, project_id }: any) => [title, state, project_id])).toEqual([
      ['Read', 'ready', 'notes'],
      ['Measure', 'done', 'web'],
      ['Speed up', 'in_progress', 'web'],
      ['Announce', 'ready', 'web'],
    ]);
    expect(answer).toMatchObject({ count: 4, source: 'plans', approvals: [], has_more: false });
    expect(answer.work[1]).toMatchObject({ source: 'plans', body: 'web/release.md:3 > Release', version: 1 });
    expect(await must(call('GET', `/v1/work/${answer.work[1].id}`))).toEqual(answer.work[1]);
  });

  it('are not on the board, and behind it with both; filters and pages hold for both', async () => {
    expect(titles(await list('source=kanban'))).toEqual(['On the board']);
    expect(titles(await list(''))).toEqual(['On the board']);
    const all = ['On the board', 'Read', 'Measure', 'Speed up', 'Announce'];
    expect(titles(await list('source=both'))).toEqual(all);
    expect(titles(await list('source=both&project_id=web'))).toEqual([
      'On the board',
      'Measure',
      'Speed up',
      'Announce',
    ]);
    expect(titles(await list('source=both&ready=true'))).toEqual(['Read', 'Announce']);
    expect(titles(await list('source=both&state=done'))).toEqual(['Measure']);
    expect(titles(await list('source=plans&assignee_passport=ada'))).toEqual([]);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`source=both&limit=1${cursor}`);
      seen.push(...titles(page));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(all);
  });

  it('that are broken, too large or links are one warning each, and nothing of them is shown', async () => {
    const { warnings } = await list('source=plans');
    expect(warnings).toEqual([
      { path: 'folder', problem: 'is a link, and links are not followed' },
      { path: 'link.md', problem: 'is a link, and links are not followed' },
      { path: 'broken.md', problem: 'is not UTF-8' },
      { path: 'large.md', problem: `has more than ${PLAN_LIMITS.bytes} bytes` },
    ]);
    expect(JSON.stringify(await list('source=both'))).not.toMatch(/zyzzyva|Hidden|Not a plan/);
    expect((await list('source=kanban')).warnings).toEqual([]);
  });

  it('are read again once they change, and their items keep their ids', async () => {
    const [before] = (await list('source=plans')).work;
    write('root/notes.md', '# More\n\n- [ ] New\n- [x] Read\n');
    const after = await list('source=plans&project_id=notes');
    expect(after.work.map(({ title, state }: any) => [title, state])).toEqual([
      ['New', 'ready'],
      ['Read', 'done'],
    ]);
    expect(after.work[1].id).toBe(before.id);
    write('root/notes.md', '- [ ] Read\n');
    expect((await must(call('GET', `/v1/work/${before.id}`))).state).toBe('ready');
  });

  it('are not changed here', async () => {
    const [{ id }, { id: other }] = (await list('source=plans')).work;
    for (const answer of [
      await patch(call, id, { state: 'done' }),
      await call('POST', `/v1/work/${id}/comments`, { author_passport: 'ada', body: 'x' }),
      await call('PUT', `/v1/work/${id}/blockers/${other}`),
      await call('POST', `/v1/work/${id}/claim`, { by_passport: 'ada' }),
      await call('POST', `/v1/work/${id}/release`, { fence: 1 }),
    ]) {
      expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'path.id']);
      expect(answer.body.detail).toContain('is work of a plan file, which is read only here');
    }
    expect((await call('GET', '/v1/work/plan-000000000000000000000000')).status).toBe(404);
  });

  it('have no comments, transitions and blockers', async () => {
    const [{ id }] = (await list('source=plans')).work;
    for (const kept of ['comments', 'transitions', 'blockers']) {
      expect(await must(call('GET', `/v1/work/${id}/${kept}`))).toMatchObject({ [kept]: [], work_id: id });
      expect((await call('GET', `/v1/work/plan-000000000000000000000000/${kept}`)).status).toBe(404);
    }
  });
});

describe('a folder of plans', () => {
  it('reads a file again only when it has changed', async () => {
    const folder = join(base, 'many');
    for (let file = 0; file < 50; file += 1) write(`many/f${file}.md`, '- [ ] One\n');
    const plans = new PlanFolder(folder);
    const first = (await plans.read()).files;
    write('many/f7.md', '- [x] One\n');
    const second = (await plans.read()).files;
    const reread = second.filter((file, index) => file !== first[index]).map(({ path }) => path);
    expect([first.length, reread]).toEqual([50, ['f7.md']]);
    utimesSync(join(folder, 'f8.md'), new Date(0), new Date(0));
    const third = (await plans.read()).files;
    expect(third.filter((file, index) => file !== second[index]).map(({ path }) => path)).toEqual(['f8.md']);
  });

  it('shows what was written before it was asked, also while another look is under way', async () => {
    const plans = new PlanFolder(join(base, 'many'));
    const early = plans.read();
    write('many/late.md', '- [ ] Late\n');
    const late = await Promise.all([plans.read(), plans.read()]);
    for (const { files } of late) expect(files.map(({ path }) => path)).toContain('late.md');
    await early;
    rmSync(join(base, 'many/late.md'));
    expect((await plans.read()).files).toHaveLength(50);
  });

  it('goes no deeper than it may, and is a warning where it is not there', async () => {
    write(`deep/${'d/'.repeat(PLAN_LIMITS.depth)}a.md`, '- [ ] Seen\n');
    write(`deep/${'d/'.repeat(PLAN_LIMITS.depth + 1)}a.md`, '- [ ] Too deep\n');
    const { files, faults } = await new PlanFolder(join(base, 'deep')).read();
    expect(files.flatMap(({ items }) => items.map(({ title }) => title))).toEqual(['Seen']);
    expect(faults.map(({ problem }) => problem)).toEqual(['is more than 8 folders deep']);
    const none = await new PlanFolder(join(base, 'none')).read();
    expect(none).toEqual({ files: [], faults: [{ path: '.', problem: 'the root cannot be read: ENOENT' }] });
  });
});

it('without a root there is a warning, and no work', async () => {
  const bare = await startDaemon();
  const answer = await must(bare.call('GET', '/v1/work?source=plans'));
  expect([answer.count, answer.warnings]).toEqual([0, [{ path: '.', problem: 'SVC_EXECPLANS_ROOT is not set' }]]);
  await bare.close();
});
