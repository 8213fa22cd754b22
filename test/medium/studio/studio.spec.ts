import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { must } from '../work/given.js';

const LIBRARY = '/v1/studio/library';
const folder = mkdtempSync(join(tmpdir(), 'svc-studio-'));
let daemon: TestDaemon;
beforeAll(async () => {
  write('team/package.yaml', manifest('1.0.0'));
  write('team/engrams/greet/SKILL.md', skill('greet', 'Say hello.'));
  write('team/kinds/greeting.yaml', 'description: A greeting.\npayload_schema: { type: object }\n');
  write('team/layers/manners.md', 'Be kind.\n');
  daemon = await startDaemon({ env: { SVCD_STUDIO_DIR: folder } });
});
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const manifest = (version: string) =>
  `schema: svc.studio-package/1\nversion: ${version}\ntitle: Team\ndescription: How we greet.\n`;
const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: When to ${name}.\n---\n${text}\n`;
const of = (tenant: string, scopes = ALL_SCOPES): DaemonCall => daemon.as({ scopes, tenant });
const install = (by: DaemonCall, id: string, body: object = {}) => by('POST', `${LIBRARY}/${id}/install`, body);
const listed = async (by: DaemonCall, id: string): Promise<any> =>
  (await must(by('GET', LIBRARY))).packages.find((one: any) => one.id === id);
const content = async (by: DaemonCall, name: string): Promise<string> =>
  (await must(by('GET', `/v1/engrams/${name}`))).engram.content;
const project = (by: DaemonCall, id: string) => must(by('POST', '/v1/projects', { id, default_passport_id: 'ada' }));
const actions = ({ items }: any): string[] => items.map(({ type, name, action }: any) => `${action} ${type}:${name}`);

describe('the library', () => {
  it('has the packages that come with svc, each with its digest', async () => {
    const { packages, schema } = await must(of('look', 'query:read')('GET', LIBRARY));
    expect(schema).toBe('svc.studio-library/1');
    const shipped = packages.filter(({ source }: any) => source === 'svc');
    expect(shipped.map(({ id }: any) => id)).toEqual([
      ...['code-review', 'decision-records', 'incident-runbook', 'onboarding'],
    ]);
    for (const one of shipped)
      expect(one).toMatchObject({
        ...{ digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), version: '1.0.0' },
        ...{ installed: [], update_available: false },
      });
  });

  it.each(['code-review', 'decision-records', 'incident-runbook', 'onboarding'])('installs %s', async (id) => {
    const by = of(`shipped-${id}`);
    const { layers, engrams, digest } = await listed(by, id);
    if (layers.length > 0) await project(by, 'shop');
    const body = layers.length > 0 ? { digest, project_id: 'shop' } : { digest };
    const done = await must(install(by, id, body));
    expect(done).toMatchObject({ package_id: id, digest, changed: true, dry_run: false });
    expect(done.items.every(({ action }: any) => action === 'create')).toBe(true);
    expect((await must(by('GET', '/v1/engrams'))).engrams.map(({ name }: any) => name)).toEqual(engrams);
    if (layers.length > 0) {
      const stored = (await must(by('GET', '/v1/projects/shop/layers'))).layers;
      expect(stored.map(({ layer }: any) => layer)).toEqual(layers);
    }
  });

  it('warns of each folder that is no package, follows no link, and leaves no other out', async () => {
    write('broken/package.yaml', 'schema: svc.studio-package/1\n');
    write('code-review/package.yaml', manifest('9.0.0'));
    write('code-review/layers/x.md', 'x');
    write('scripted/package.yaml', manifest('1.0.0'));
    write('scripted/run.sh', 'true');
    write('huge/package.yaml', manifest('1.0.0'));
    write('huge/layers/big.md', 'x'.repeat(256 * 1024 + 1));
    write('leaking/package.yaml', manifest('1.0.0'));
    mkdirSync(join(folder, 'leaking/layers'));
    symlinkSync('/etc/hostname', join(folder, 'leaking/layers/host.md'));
    symlinkSync(join(folder, 'team'), join(folder, 'linked'));
    const { packages, warnings } = await must(of('warned')('GET', LIBRARY));
    expect(packages.map(({ id }: any) => id)).toContain('team');
    expect(packages.find(({ id }: any) => id === 'code-review').source).toBe('svc');
    const problems = Object.fromEntries(warnings.map(({ path, problem }: any) => [path, problem]));
    expect(problems).toEqual({
      broken: expect.stringContaining('package.yaml'),
      'code-review': expect.stringContaining('comes with svc'),
      huge: expect.stringContaining('layers/big.md'),
      leaking: expect.stringContaining('links are not followed'),
      linked: expect.stringContaining('links are not followed'),
      scripted: expect.stringContaining('run.sh'),
    });
    expect(JSON.stringify(warnings)).not.toContain(folder);
  });
});

describe('an install', () => {
  it('is of the whole package, once, with event and receipt', async () => {
    const by = of('once');
    await project(by, 'shop');
    const first = await must(install(by, 'team', { project_id: 'shop' }));
    expect(actions(first)).toEqual(['create engram:greet', 'create kind:greeting', 'create layer:manners']);
    expect(await content(by, 'greet')).toBe('Say hello.');
    expect((await must(by('GET', '/v1/entities/kind/greeting'))).entity.payload.description).toBe('A greeting.');
    const again = await must(install(by, 'team', { project_id: 'shop' }));
    expect(again).toMatchObject({ changed: false, receipt_id: first.receipt_id });
    const [{ n }] = (await daemon.database.query<{ n: number }>(
      `select count(*)::int as n from receipt where tenant_id = 'once' and kind = 'studio.installed'`,
    )) as [{ n: number }];
    expect(n).toBe(1);
    const { verified } = await must(by('GET', `/v1/receipts/${first.receipt_id}/verification?tenant_id=once`));
    expect(verified).toBe(true);
    expect((await listed(by, 'team')).installed).toMatchObject([{ project_id: 'shop', version: '1.0.0' }]);
    expect((await listed(of('nobody'), 'team')).installed).toEqual([]);
  });

  it('is one, whoever asks for it at the same time', async () => {
    const by = of('crowd');
    await project(by, 'shop');
    const all = await Promise.all(Array.from({ length: 6 }, () => must(install(by, 'team', { project_id: 'shop' }))));
    expect(all.filter(({ changed }) => changed)).toHaveLength(1);
    expect((await must(by('GET', '/v1/entities/engram/greet'))).entity.version).toBe(1);
  });

  it('does not overwrite what the tenant has, and then does none of it, unless replace is sent', async () => {
    const by = of('own');
    await project(by, 'shop');
    await must(by('PUT', '/v1/entities/engram/greet', { payload: { content: 'Mine.' } }));
    const body = { project_id: 'shop' };
    const dry = await must(install(by, 'team', { ...body, dry_run: true }));
    expect(actions(dry)).toEqual(['conflict engram:greet', 'create kind:greeting', 'create layer:manners']);
    const refused = await install(by, 'team', body);
    expect([refused.status, refused.body.code, refused.body.conflicts]).toEqual([
      ...[409, 'INSTALL_CONFLICT', [{ type: 'engram', name: 'greet' }]],
    ]);
    expect(await content(by, 'greet')).toBe('Mine.');
    expect((await by('GET', '/v1/entities/kind/greeting')).status).toBe(404);
    expect((await must(by('GET', '/v1/projects/shop/layers'))).layers).toEqual([]);
    const replaced = await must(install(by, 'team', { ...body, replace: true }));
    expect(actions(replaced)[0]).toBe('replace engram:greet');
    expect((await must(by('GET', '/v1/engrams/greet/versions'))).versions).toHaveLength(2);
  });

  it('of a later digest updates what an install wrote, and what the tenant has changed is a conflict', async () => {
    write('moving/package.yaml', manifest('1.0.0'));
    write('moving/engrams/kept/SKILL.md', skill('kept', 'One.'));
    write('moving/engrams/edited/SKILL.md', skill('edited', 'One.'));
    const by = of('later');
    const first = await listed(by, 'moving');
    await must(install(by, 'moving'));
    write('moving/package.yaml', manifest('1.1.0'));
    write('moving/engrams/kept/SKILL.md', skill('kept', 'Two.'));
    const second = await listed(by, 'moving');
    expect(second).toMatchObject({ version: '1.1.0', update_available: true, installed: [{ version: '1.0.0' }] });
    const pinned = await install(by, 'moving', { digest: first.digest });
    expect([pinned.status, pinned.body.code, pinned.body.digest]).toEqual([409, 'PACKAGE_CHANGED', second.digest]);
    expect(actions(await must(install(by, 'moving', { dry_run: true })))).toEqual([
      ...['unchanged engram:edited', 'update engram:kept'],
    ]);
    expect(await content(by, 'kept')).toBe('One.');
    expect(actions(await must(install(by, 'moving', { digest: second.digest })))[1]).toBe('update engram:kept');
    expect(await listed(by, 'moving')).toMatchObject({ update_available: false });
    await must(by('PUT', '/v1/entities/engram/edited', { payload: { content: 'Mine.' } }));
    expect(await must(install(by, 'moving'))).toMatchObject({ changed: false });
    write('moving/engrams/edited/SKILL.md', skill('edited', 'Three.'));
    expect((await install(by, 'moving')).body.conflicts).toEqual([{ type: 'engram', name: 'edited' }]);
    expect(await content(by, 'edited')).toBe('Mine.');
  });

  it.each<[string, object, number, string]>([
    ['team', {}, 400, 'body.project_id'],
    ['code-review', { project_id: 'shop' }, 400, 'body.project_id'],
    ['team', { project_id: 'none' }, 404, 'project'],
    ['team', { project_id: 'NOT A SLUG' }, 400, 'body.project_id'],
    ['code-review', { digest: 'md5:1' }, 400, 'body.digest'],
    ['code-review', { dry_run: 'yes' }, 400, 'body.dry_run'],
    ['nothing', {}, 404, '/v1/studio/library'],
    ['..%2Fteam', {}, 400, 'path.id'],
  ])('of %s with %j is refused', async (id, body, status, said) => {
    const by = of('wrong');
    await by('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' });
    const answer = await install(by, id, body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(said)]);
  });

  it('takes admin:read and facts:write', async () => {
    const missing = async (scopes: string) => (await install(of('scopes', scopes), 'code-review')).body.missingScopes;
    expect(await missing('admin:read')).toEqual(['facts:write']);
    expect(await missing('facts:write')).toEqual(['admin:read']);
    expect((await of('scopes', 'facts:write')('GET', LIBRARY)).status).toBe(403);
    expect((await install(of('scopes', 'admin:read facts:write'), 'code-review')).status).toBe(200);
  });
});
