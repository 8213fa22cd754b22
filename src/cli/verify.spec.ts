import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyCommand } from './verify.js';

const VECTORS = join(import.meta.dirname, '../../docs/formats/vectors');
const SOUND = join(VECTORS, 'sound.svcpack');

describe('svc verify', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-verify-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  async function run(...words: string[]): Promise<{ out: string; code: typeof process.exitCode }> {
    let out = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    });
    await verifyCommand().parseAsync(words, { from: 'user' });
    return { out, code: process.exitCode };
  }
  const jwk = (): string => {
    const file = join(folder, 'key.json');
    const { jwk: key } = JSON.parse(readFileSync(join(VECTORS, 'keys.json'), 'utf8')) as { jwk: unknown };
    writeFileSync(file, JSON.stringify(key));
    return file;
  };

  it('accepts a sound pack, with and without a pinned key', async () => {
    const alone = await run(SOUND);
    expect(alone.out).toContain('self-asserted');
    expect([alone.out.endsWith('verified\n'), alone.code]).toEqual([true, 0]);
    const pinned = await run(SOUND, '--key', jwk(), '--json');
    const verdict = JSON.parse(pinned.out) as { ok: boolean; checks: { name: string; ok: boolean }[] };
    expect([verdict.ok, verdict.checks.length, pinned.code]).toEqual([true, 12, 0]);
  });

  it('names the first check that fails and exits with 1', async () => {
    const file = join(folder, 'changed.svcpack');
    writeFileSync(file, readFileSync(SOUND, 'utf8').replace('names the one before', 'names the two before'));
    const { out, code } = await run(file);
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'NOT verified: chunks: chunk chk_5f0c: content_hash is not the digest of its content',
    );
    expect(code).toBe(1);
  });

  it.each(['export.json', 'export.cbor', 'export.zip', 'export-redacted.json'])('accepts %s', async (name) => {
    const verdict = await run(join(VECTORS, name), '--key', jwk(), '--json');
    const { ok, checks } = JSON.parse(verdict.out) as { ok: boolean; checks: { name: string }[] };
    expect([ok, verdict.code]).toEqual([true, 0]);
    expect(checks.map((check) => check.name)).toEqual([
      ...['format', 'keys', 'signature', 'disclosures', 'records', 'signatures', 'chain', 'contents'],
      ...['checkpoint', 'inclusion', 'consistency', 'auth-mode'],
    ]);
    expect(Object.keys(JSON.parse(verdict.out) as object)).toEqual(['ok', 'checks']);
  });

  it('names what was changed of an export', async () => {
    const file = join(folder, 'changed.json');
    writeFileSync(file, readFileSync(join(VECTORS, 'export.json'), 'utf8').replace('d\u00e9j\u00e0', 'd\u00e9ja'));
    const { out, code } = await run(file);
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'NOT verified: disclosures: items.4.payload.note: its digest is not in the manifest',
    );
    expect(code).toBe(1);
  });

  it('says what is no evidence at all', async () => {
    const file = join(folder, 'noise');
    writeFileSync(file, 'noise');
    const { out, code } = await run(file, '--json');
    expect([JSON.parse(out), code]).toEqual([
      {
        ok: false,
        checks: [{ name: 'format', ok: false, detail: expect.stringContaining('no zip archive') as unknown }],
      },
      1,
    ]);
  });

  it('says so when the file or the key cannot be read', async () => {
    const missing = await run(join(folder, 'none'), '--json');
    expect(JSON.parse(missing.out)).toEqual({
      ok: false,
      checks: [{ name: 'read', ok: false, detail: expect.stringContaining('ENOENT') as unknown }],
    });
    const wrongKey = await run(SOUND, '--key', join(VECTORS, 'blake3.json'), '--json');
    expect((JSON.parse(wrongKey.out) as { checks: { name: string }[] }).checks[0]?.name).toBe('trusted-keys');
    expect([missing.code, wrongKey.code]).toEqual([1, 1]);
  });
});
