import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BundleTooBig, BundleUnreadable } from '../../../src/evidence/export/bundle-limits.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';

const ROOT = join(import.meta.dirname, '../../..');
const VECTORS = join(ROOT, 'docs/formats/vectors');
const LIMITS = { bytes: 2 ** 28, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };
const CHANGES = 2000;

const FILES = [
  ...['', 'v1/'].flatMap((version) =>
    ['sound.svcpack', 'export.json', 'export.cbor', 'export.zip', 'export-redacted.json'].map((name) => version + name),
  ),
  ...['receipt', 'retrieval'].flatMap((record) =>
    ['tlog-proof', 'cose-receipt', 'statement', 'sigstore.json'].map((form) => `forms/${record}.${form}`),
  ),
  'forms/receipt.cose',
  'forms/receipt.es256.cose-receipt',
  ...['batch.svcpack', 'v2/sound.svcpack', 'stamped.svcpack', 'export-stamped.json', 'export-stamped.cbor'],
];

const hasPython = spawnSync('python3', ['--version']).status === 0;
const python = (...words: string[]): { status: number | null; stdout: string } => {
  const ended = spawnSync('python3', ['-m', 'svc_verify', ...words], {
    cwd: join(ROOT, 'examples/verify'),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  expect(ended.stderr).toBe('');
  return ended;
};

/** Another language, another author's reading: docs/formats alone. */
describe.skipIf(!hasPython)('examples/verify', () => {
  let folder: string;
  let keys: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-python-'));
    keys = join(folder, 'key.json');
    const { jwk, es256_jwk } = JSON.parse(readFileSync(join(VECTORS, 'keys.json'), 'utf8')) as Record<string, object>;
    writeFileSync(keys, JSON.stringify({ keys: [jwk, es256_jwk] }));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(FILES)('says of %s what svc verify says', (name) => {
    const verdict = python(join(VECTORS, name), '--key', keys, '--json');
    expect([verdict.status, JSON.parse(verdict.stdout)]).toEqual([0, { ok: true, failed: null, detail: null }]);
  });

  it.each([
    ['sound.svcpack', ['receipts', 'log', 'exports']],
    ['sound.svcpack', ['receipts', 'exports']],
    ['v1/export.json', ['receipts', 'log']],
    ['forms/receipt.tlog-proof', ['log']],
    ['forms/receipt.statement', ['receipts']],
    ['forms/receipt.cose-receipt', ['exports']],
  ])('says of %s by a key for %j what svc verify says', async (name, svc_purposes) => {
    const { keys: set } = JSON.parse(readFileSync(keys, 'utf8')) as { keys: object[] };
    const narrow = join(folder, 'narrow.json');
    writeFileSync(narrow, JSON.stringify({ keys: [{ ...set[0], svc_purposes }] }));
    const verdict = JSON.parse(python(join(VECTORS, name), '--key', narrow, '--json').stdout) as {
      failed: string | null;
    };
    const trusted = parseTrustedKeys(readFileSync(narrow, 'utf8'));
    expect(verdict.failed).toBe(await failedStep(readFileSync(join(VECTORS, name)), trusted));
    expect(verdict.failed === null).toBe(svc_purposes.length === 3);
  });

  it('says of every file of verdicts.json, which asks nothing of the log, what is written there', () => {
    const { cases } = JSON.parse(readFileSync(join(VECTORS, 'verdicts.json'), 'utf8')) as {
      cases: { name: string; failed: string | null; demand?: { authorities?: string[] }; file: string }[];
    };
    const judged = cases.filter(({ demand }) => !demand || demand.authorities);
    const list = join(folder, 'files.json');
    writeFileSync(list, JSON.stringify(judged.map(({ file, demand }) => [file, demand?.authorities ?? null])));
    const steps = JSON.parse(python('--files', list).stdout) as (string | null)[];
    const said = judged.map(({ name }, n) => [name, steps[n]]);
    expect(said).toEqual(judged.map(({ name, failed }) => [name, failed]));
    expect(judged.length).toBeGreaterThan(100);
  });

  it('pins the authority of timestamps', () => {
    const { root, other_root } = JSON.parse(readFileSync(join(VECTORS, 'timestamps.json'), 'utf8')) as Record<
      string,
      string
    >;
    const file = join(folder, 'roots.pem');
    const say = (pem: string) => {
      writeFileSync(file, pem);
      const words = [join(VECTORS, 'stamped.svcpack'), '--key', keys, '--tsa-ca', file, '--json'];
      return (JSON.parse(python(...words).stdout) as { failed: string | null }).failed;
    };
    expect([say(`${root}${other_root}`), say(root!)]).toEqual([null, 'timestamps']);
  });

  it('says of a receipt whose index is false, which equals 0 in Python, what svc verify says', async () => {
    const file = readFileSync(join(VECTORS, 'forms/receipt.cose-receipt'));
    const index = file.indexOf(Buffer.from('3a0001117100', 'hex')) + 5; // the claim -70002, and 0
    const changed = join(folder, 'false.cose-receipt');
    writeFileSync(changed, file.with(index, 0xf4));
    const verdict = JSON.parse(python(changed, '--key', keys, '--json').stdout) as { failed: string | null };
    expect(verdict.failed).toBe(await failedStep(readFileSync(changed), parseTrustedKeys(readFileSync(keys, 'utf8'))));
    expect(verdict.failed).toBe('format');
  });

  it.each(FILES)(
    `refuses ${CHANGES} changes of one byte of %s, naming the step that svc verify names`,
    async (name) => {
      const file = readFileSync(join(VECTORS, name));
      const changes = Array.from({ length: CHANGES }, (): [number, number] => {
        const at = Math.floor(Math.random() * file.length);
        return [at, (file[at]! + 1 + Math.floor(Math.random() * 255)) % 256];
      });
      const list = join(folder, 'changes.json');
      writeFileSync(list, JSON.stringify(changes));
      const theirs = JSON.parse(python(join(VECTORS, name), '--key', keys, '--changes', list).stdout) as (
        string | null
      )[];
      const trusted = parseTrustedKeys(readFileSync(keys, 'utf8'));
      const differing: unknown[] = [];
      for (const [n, [at, value]] of changes.entries()) {
        const ours = await failedStep(file.with(at, value), trusted);
        if (ours === null || ours !== theirs[n]) differing.push({ at, value, ours, theirs: theirs[n] });
      }
      expect(differing).toEqual([]);
    },
  );
});

/** The name of the first step that fails; null where all hold. */
async function failedStep(file: Uint8Array, trusted: ReturnType<typeof parseTrustedKeys>): Promise<string | null> {
  try {
    const { checks } = await verifyBundle(file, LIMITS, { trusted });
    return checks.find(({ ok }) => !ok)?.name ?? null;
  } catch (error) {
    if (error instanceof BundleUnreadable || error instanceof BundleTooBig) return 'format';
    throw error;
  }
}
