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
    expect(alone.out.trimEnd().split('\n').at(-1)).toMatch(/^whole, but by an UNKNOWN ISSUER: .*svc key pin/);
    expect(alone.code).toBe(3);
    expect(JSON.parse((await run(SOUND, '--json')).out)).toMatchObject({ ok: true, issuer: 'unknown' });
    expect((await run(SOUND, '--key', jwk())).out.endsWith('verified\n')).toBe(true);
    const pinned = await run(SOUND, '--key', jwk(), '--json');
    const verdict = JSON.parse(pinned.out) as { ok: boolean; checks: { name: string; ok: boolean }[] };
    expect([verdict.ok, verdict.checks.length, pinned.code]).toEqual([true, 14, 0]);
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
      ...['checkpoint', 'inclusion', 'epoch', 'consistency', 'auth-mode', 'timestamps'],
    ]);
    expect(Object.keys(JSON.parse(verdict.out) as object)).toEqual(['ok', 'issuer', 'checks']);
  });

  it('names what was changed of an export', async () => {
    const file = join(folder, 'changed.json');
    writeFileSync(file, readFileSync(join(VECTORS, 'export.json'), 'utf8').replace('d\u00e9j\u00e0', 'd\u00e9ja'));
    const { out, code } = await run(file);
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'NOT verified: disclosures: items.6.payload.note: its digest is not in the manifest',
    );
    expect(code).toBe(1);
  });

  it('holds a file against a kept checkpoint, the name of the log and a witness', async () => {
    const { cases } = JSON.parse(readFileSync(join(VECTORS, 'verdicts.json'), 'utf8')) as {
      cases: { name: string; file: string; demand?: { witnesses?: string[] } }[];
    };
    const witnessed = cases.find(({ name }) => name === 'as it was made, for who knows its witness');
    const file = join(folder, 'cosigned.svcpack');
    writeFileSync(file, Buffer.from(witnessed?.file ?? '', 'base64'));
    const [witness = ''] = witnessed?.demand?.witnesses ?? [];
    const pack = JSON.parse(readFileSync(SOUND, 'utf8')) as { consistency: { checkpoint: string }[] };
    const kept = join(folder, 'kept.txt');
    writeFileSync(kept, pack.consistency[0]?.checkpoint ?? '');
    const good = await run(
      file,
      ...['--key', jwk(), '--checkpoint', kept, '--origin', 'log.example/svc', '--witness', witness],
    );
    expect([good.code, good.out]).toEqual([
      0,
      expect.stringMatching(/ok {4}freshness .*; witness\.example\/w1 saw it 2026-/),
    ]);
    const other = await run(file, '--origin', 'log.example/other');
    expect(other.out.trimEnd().split('\n').at(-1)).toBe(
      'NOT verified: freshness: the checkpoint is of log.example/svc, not of log.example/other',
    );
    const unsigned = await run(SOUND, '--witness', witness, '--json');
    expect([unsigned.code, unsigned.out]).toEqual([1, expect.stringContaining('no cosignature of witness.example/w1')]);
  });

  it('holds timestamps against the root of their authority', async () => {
    const stamped = join(VECTORS, 'stamped.svcpack');
    const free = await run(stamped, '--key', jwk());
    expect([free.code, free.out]).toEqual([
      0,
      expect.stringMatching(
        /ok {4}timestamps {2}.*; 4 of 4 records were in the log at 20\S+Z, says O=Example, CN=Example tsa; the authority is NOT PINNED: give its root by --tsa-ca\n/,
      ),
    ]);
    const roots = join(folder, 'roots.pem');
    const vectors = JSON.parse(readFileSync(join(VECTORS, 'timestamps.json'), 'utf8')) as Record<string, string>;
    writeFileSync(roots, `${vectors.root}${vectors.other_root}`);
    const pinned = await run(stamped, '--key', jwk(), '--tsa-ca', roots);
    expect([pinned.code, pinned.out]).toEqual([0, expect.stringContaining('; the authority is known\n')]);
    const missing = await run(SOUND, '--tsa-ca', roots);
    expect([missing.code, missing.out.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      'NOT verified: timestamps: the file carries no timestamp',
    ]);
    writeFileSync(roots, vectors.root!);
    const half = await run(stamped, '--tsa-ca', roots, '--json');
    expect([half.code, half.out]).toEqual([1, expect.stringContaining('no chain leads from')]);
    const form = await run(join(VECTORS, 'forms/receipt.tlog-proof'), '--key', jwk(), '--tsa-ca', roots);
    expect([form.code, form.out]).toEqual([1, expect.stringContaining('a standard form carries no timestamp')]);
    const garbage = await run(stamped, '--tsa-ca', SOUND);
    expect([garbage.code, garbage.out]).toEqual([1, expect.stringMatching(/^FAIL {2}timestamps {2}cannot use/)]);
  });

  it.each([
    ['--checkpoint', 'none', /^cannot use the checkpoint none: ENOENT/],
    ['--checkpoint', SOUND, /^cannot use the checkpoint .*: a note is text/],
    ['--witness', 'x', /^not a note verifier key/],
  ])('says that it cannot use %s %s', async (option, value, detail) => {
    const { out, code } = await run(SOUND, option, value, '--json');
    const checks = [{ name: 'freshness', ok: false, detail: expect.stringMatching(detail) as unknown }];
    expect([JSON.parse(out), code]).toEqual([{ ok: false, issuer: 'unknown', checks }, 1]);
  });

  it('says what is no evidence at all', async () => {
    const file = join(folder, 'noise');
    writeFileSync(file, 'noise');
    const { out, code } = await run(file, '--json');
    expect([JSON.parse(out), code]).toEqual([
      {
        ok: false,
        issuer: 'unknown',
        checks: [{ name: 'format', ok: false, detail: expect.stringContaining('no zip archive') as unknown }],
      },
      1,
    ]);
  });

  it('says so when the file or the key cannot be read', async () => {
    const missing = await run(join(folder, 'none'), '--json');
    expect(JSON.parse(missing.out)).toEqual({
      ok: false,
      issuer: 'unknown',
      checks: [{ name: 'read', ok: false, detail: expect.stringContaining('ENOENT') as unknown }],
    });
    const wrongKey = await run(SOUND, '--key', join(VECTORS, 'blake3.json'), '--json');
    expect((JSON.parse(wrongKey.out) as { checks: { name: string }[] }).checks[0]?.name).toBe('trusted-keys');
    expect([missing.code, wrongKey.code]).toEqual([1, 1]);
  });
});
