import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  ftruncateSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-layers-'));
const root = join(folder, 'root');
const outside = join(folder, 'outside');
let socket: Server;
let daemon: TestDaemon;
let call: DaemonCall;

beforeAll(async () => {
  for (const path of [join(root, 'shop'), outside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(root, 'shop/style.md'), 'Use tabs.\nNo globals.\n');
  writeFileSync(join(outside, 'secret.md'), 'secret');
  symlinkSync(join(outside, 'secret.md'), join(root, 'out.md'));
  symlinkSync(outside, join(root, 'away'));
  symlinkSync(join(root, 'shop/style.md'), join(root, 'in.md'));
  symlinkSync(join(root, 'shop'), join(root, 'inside'));
  symlinkSync('loop', join(root, 'loop'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  socket = createServer().listen(join(root, 'socket'));
  const large = openSync(join(root, 'large.md'), 'w');
  ftruncateSync(large, 10 * 1024 ** 3);
  closeSync(large);
  writeFileSync(join(root, 'latin1.md'), Buffer.from([0x4c, 0xf6, 0x77, 0x65]));
  writeFileSync(join(root, 'utf16.md'), Buffer.from('﻿text', 'utf16le'));
  writeFileSync(join(root, 'nul.md'), 'a\0b');
  writeFileSync(join(root, 'limit.md'), 'x'.repeat(100));
  writeFileSync(join(root, 'empty.md'), '');
  daemon = await startDaemon({ env: { SVCD_LAYERS_ROOT: root } });
  ({ call } = daemon);
  await call('POST', '/v1/projects', { id: 'shop', default_passport_id: 'lead' });
  await call('POST', '/v1/projects/shop/planes', { id: 'api' });
});
afterAll(async () => {
  await daemon.close();
  socket.close();
  rmSync(folder, { recursive: true, force: true });
});

const ROUTE = '/v1/projects/shop/planes/sync-layers';
const sync = (body: object, by = call) => by('POST', ROUTE, { layer: 'style', ...body });
const stored = async () =>
  Number(
    (await daemon.database.query<{ n: string }>(`select count(*) as n from fact where entity like 'layer:%'`))[0]!.n,
  );

describe('a file that is no text below the folder', () => {
  it.each([
    ['..', '".."'],
    ['../outside/secret.md', '".."'],
    ['shop/../../outside/secret.md', '".."'],
    ['shop/../shop/style.md', '".."'],
    [join(outside, 'secret.md'), 'absolute'],
    [join(root, 'shop/style.md'), 'absolute'],
    ['shop\\style.md', 'backslash'],
    ['out.md', 'link'],
    ['in.md', 'link'],
    ['loop', 'link'],
    ['away/secret.md', 'link'],
    ['inside/style.md', 'link'],
    ['pipe', 'is no file'],
    ['socket', 'ENXIO'],
    ['shop', 'is no file'],
    ['large.md', 'more than 262144 bytes'],
    ['latin1.md', 'UTF-8'],
    ['utf16.md', 'UTF-8'],
    ['nul.md', 'NUL'],
    ['none.md', 'ENOENT'],
    ['shop/style.md/x', 'ENOTDIR'],
  ])('is refused: %s', async (source_path, says) => {
    const before = await stored();
    const began = performance.now();
    for (const confirm of [false, true]) {
      const { status, body } = await sync({ source_path, confirm });
      expect([status, body.detail]).toEqual([400, expect.stringContaining('body.source_path')]);
      expect(body.detail).toContain(says);
      expect(body.detail).not.toContain(folder);
    }
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await stored()).toBe(before);
  });

  it('is refused as a device', async () => {
    const devices = await startDaemon({ env: { SVCD_LAYERS_ROOT: '/dev' }, database: daemon.database });
    const { status, body } = await devices.call('POST', ROUTE, { layer: 'style', source_path: 'zero', confirm: true });
    await devices.close();
    expect([status, body.detail]).toEqual([400, expect.stringContaining('is no file')]);
  });

  it('is refused beyond the bytes that are asked for', async () => {
    expect((await sync({ source_path: 'limit.md', max_bytes: 99 })).body.detail).toContain('more than 99 bytes');
    expect((await sync({ source_path: 'limit.md', max_bytes: 100 })).status).toBe(200);
    expect((await sync({ source_path: 'limit.md', max_bytes: 1024 * 1024 + 1 })).body.detail).toContain('max_bytes');
  });

  it('is refused while no folder is set', async () => {
    const without = await startDaemon({ database: daemon.database });
    const { status, body } = await without.call('POST', ROUTE, { layer: 'style', source_path: 'shop/style.md' });
    await without.close();
    expect([status, body.detail]).toEqual([400, expect.stringContaining('SVCD_LAYERS_ROOT')]);
  });
});

describe('a file', () => {
  it('is written into a layer once that is confirmed; until then what would change is shown', async () => {
    const before = await stored();
    const dry = (await sync({ source_path: 'shop/style.md' })).body;
    expect(dry).toMatchObject({
      ...{ project_id: 'shop', plane_id: null, layer: 'style', source_path: 'shop/style.md', bytes: 22 },
      ...{ applied: false, changed: true, version: 0, fact_id: null, receipt_id: null },
    });
    expect(dry.diff).toContain('+Use tabs.\n+No globals.\n');
    expect(await stored()).toBe(before);
    const done = (await sync({ source_path: 'shop/style.md', confirm: true })).body;
    expect(done).toMatchObject({ applied: true, changed: true, version: 1, hash: dry.hash, diff: dry.diff });
    expect((await call('GET', '/v1/projects/shop/layers')).body.layers).toMatchObject([
      {
        layer: 'style',
        content: 'Use tabs.\nNo globals.\n',
        version: 1,
        fact_id: done.fact_id,
        receipt_id: done.receipt_id,
      },
    ]);
    const again = (await sync({ source_path: 'shop/style.md', confirm: true })).body;
    expect(again).toMatchObject({ applied: false, changed: false, version: 1, diff: '', fact_id: null });
  });

  it('changes one line by a diff of that line, at the version that was looked at', async () => {
    writeFileSync(join(root, 'shop/style.md'), 'Use spaces.\nNo globals.\n');
    const { diff } = (await sync({ source_path: 'shop/style.md' })).body;
    expect(diff).toContain('-Use tabs.\n+Use spaces.\n No globals.\n');
    await call('PUT', '/v1/projects/shop/layers/style', { content: 'Written meanwhile.' });
    const late = await sync({ source_path: 'shop/style.md', confirm: true, base_version: 1 });
    expect([late.status, late.body.code, late.body.version]).toEqual([409, 'LAYER_CHANGED', 2]);
    expect((await sync({ source_path: 'shop/style.md', confirm: true, base_version: 2 })).body.version).toBe(3);
  });

  it('is written into the layer of a plane, an empty one too', async () => {
    expect((await sync({ source_path: 'empty.md', plane_id: 'api', confirm: true })).body).toMatchObject({
      ...{ plane_id: 'api', applied: true, version: 1, bytes: 0 },
    });
    expect((await sync({ source_path: 'empty.md', plane_id: 'none' })).body.code).toBe('PLANE_UNKNOWN');
  });

  it('with another name in the file system is the same file', async () => {
    linkSync(join(root, 'shop/style.md'), join(root, 'hard.md'));
    expect((await sync({ source_path: 'hard.md' })).status).toBe(200);
  });

  it('is compared for a bounded time', async () => {
    const lines = (word: string) => Array.from({ length: 50_000 }, (_, n) => `${word}${n * 7919}`).join('\n');
    writeFileSync(join(root, 'other.md'), lines('b'));
    await call('PUT', '/v1/projects/shop/layers/long', { content: lines('a') });
    const { body } = await sync({ source_path: 'other.md', layer: 'long', max_bytes: 1024 * 1024 });
    expect([body.changed, body.diff]).toEqual([true, null]);
  });

  it('needs facts:write, a layer and a path', async () => {
    const body = { source_path: 'shop/style.md' };
    expect((await sync(body, daemon.as({ scopes: 'admin:read' }))).status).toBe(403);
    expect((await sync(body, daemon.as({ scopes: 'facts:write' }))).status).toBe(200);
    expect((await call('POST', ROUTE, { source_path: 'shop/style.md' })).body.detail).toContain('body.layer');
    expect((await call('POST', ROUTE, { layer: 'style' })).body.detail).toContain('body.source_path');
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    expect((await sync(body, other)).body.code).toBe('PROJECT_UNKNOWN');
  });
});
