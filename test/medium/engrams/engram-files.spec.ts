import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '../../../src/common/observability/log.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-engrams-'));
const outside = mkdtempSync(join(tmpdir(), 'svc-outside-'));
const write = (name: string, text: string | Buffer) => {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'SKILL.md'), text);
};
const skill = (name: string, content: string, more = '') =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n${content}\n`;

const lines: { path?: string; problem?: string; msg: string }[] = [];
let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  write('greet', skill('greet', 'Say hello.', 'metadata:\n  intent_bucket: talk\n  version: 7\n'));
  write('part', skill('part', 'Say goodbye.'));
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }) as unknown as Log;
  daemon = await startDaemon({ env: { SVCD_ENGRAMS_DIR: folder }, tenants: ['acme', 'globex'], log });
  call = daemon.as({ scopes: 'query:read facts:write', tenant: 'acme' });
});
afterAll(async () => {
  await daemon.close();
  for (const made of [folder, outside]) rmSync(made, { recursive: true, force: true });
});

const names = async (by = call) => (await by('GET', '/v1/engrams')).body.engrams.map(({ name }: any) => name);
const contentOf = async (name: string, by = call) => (await by('GET', `/v1/engrams/${name}`)).body.engram?.content;
const warnings = (path: string) => lines.filter((line) => line.path === path).map(({ problem }) => problem);

describe('files below SVCD_ENGRAMS_DIR', () => {
  it('are engrams of every tenant', async () => {
    for (const tenant of ['acme', 'globex']) {
      const by = daemon.as({ scopes: 'query:read', tenant });
      expect(await names(by)).toEqual(['greet', 'part']);
      const { body } = await by('GET', '/v1/engrams/greet');
      expect(body.engram).toMatchObject({
        version: 7,
        source: 'file',
        intent_bucket: 'talk',
        description: 'About greet.',
      });
      expect((await by('GET', '/v1/engrams?intent_bucket=talk')).body).toMatchObject({ total: 1 });
      expect((await by('GET', '/v1/engrams/greet/versions')).body.versions).toMatchObject([{ content: 'Say hello.' }]);
    }
    expect((await call('PUT', '/v1/engrams/greet/labels/live', { version: 7 })).status).toBe(404);
  });

  it('are read again when they change, come and go', async () => {
    write('greet', skill('greet', 'Say good day to you.'));
    write('later', skill('later', 'See you.'));
    expect(await contentOf('greet')).toBe('Say good day to you.');
    expect(await names()).toContain('later');
    rmSync(join(folder, 'later'), { recursive: true });
    expect(await names()).not.toContain('later');
  });

  it('are hidden by an entity of the same name, in its tenant alone', async () => {
    await call('PUT', '/v1/entities/engram/part', { payload: { content: 'Our own.' } });
    expect(await contentOf('part')).toBe('Our own.');
    expect(await contentOf('part', daemon.as({ scopes: 'query:read', tenant: 'globex' }))).toBe('Say goodbye.');
    expect(await names()).toEqual(['greet', 'part']);
    const { body } = await call('POST', '/v1/memory/engrams/resolve', {});
    expect(body.engrams.map(({ name, source }: any) => [name, source])).toEqual([
      ['greet', 'file'],
      ['part', 'entity'],
    ]);
    await call('DELETE', '/v1/entities/engram/part');
    expect(await contentOf('part')).toBe('Say goodbye.');
  });

  it('are given out without their secrets', async () => {
    write('keys', skill('keys', 'password: hunter2hunter2 it is.'));
    expect(await contentOf('keys')).not.toContain('hunter2hunter2');
    rmSync(join(folder, 'keys'), { recursive: true });
  });

  it('that are broken cost one warning each, and the rest goes on', { timeout: 60_000 }, async () => {
    writeFileSync(join(outside, 'SKILL.md'), skill('linked', 'From outside.'));
    symlinkSync(outside, join(folder, 'linked'));
    mkdirSync(join(folder, 'link-file'));
    symlinkSync(join(outside, 'SKILL.md'), join(folder, 'link-file', 'SKILL.md'));
    mkdirSync(join(folder, 'pipe'));
    execFileSync('mkfifo', [join(folder, 'pipe', 'SKILL.md')]);
    mkdirSync(join(folder, 'a-folder', 'SKILL.md'), { recursive: true });
    mkdirSync(join(folder, 'empty'));
    writeFileSync(join(folder, 'README.md'), 'no engram');
    write('large', Buffer.alloc(10 * 1024 * 1024, 'x'));
    write('latin', Buffer.concat([Buffer.from(skill('latin', 'Caf')), Buffer.from([0xe9])]));
    write('Upper', skill('Upper', 'x'));
    write('other-name', skill('another', 'x'));
    write('bomb', skill('bomb', 'x', `a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n`));
    write('nul', skill('nul', 'a\0b'));
    for (let i = 0; i < 3; i++) expect(await names()).toEqual(['greet', 'part']);
    const broken = ['large', 'latin', 'Upper', 'other-name', 'bomb', 'nul', 'linked', 'link-file', 'pipe', 'a-folder'];
    for (const name of broken) expect([name, warnings(`${name}/SKILL.md`)]).toEqual([name, [expect.any(String)]]);
    expect(lines.filter(({ path }) => path?.startsWith('empty') || path?.startsWith('README'))).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain(outside);
    expect(JSON.stringify(lines.filter(({ path }) => path))).not.toContain(folder);
    write('other-name', skill('other-name', 'Now it is right.'));
    expect(await contentOf('other-name')).toBe('Now it is right.');
  });

  it('may all be gone: entities are given out as before', async () => {
    rmSync(folder, { recursive: true });
    await call('PUT', '/v1/entities/engram/own', { payload: { content: 'Ours.' } });
    expect(await names()).toEqual(['own']);
    expect(warnings('.')).toEqual([expect.stringContaining('ENOENT')]);
  });
});

it('a wrong list of classes stops the start, and says so', async () => {
  await expect(startDaemon({ env: { SVCD_MODEL_CLASSES: '{}' } })).rejects.toThrow('SVCD_MODEL_CLASSES');
});
