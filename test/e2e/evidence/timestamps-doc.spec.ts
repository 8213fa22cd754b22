import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../kit/markdown.js';

const FORMATS = join(import.meta.dirname, '..', '..', '..', 'docs', 'formats');
const [RECIPE] = blocksOf(readFileSync(join(FORMATS, 'timestamps.md'), 'utf8'), 'sh');
const read = (name: string) => JSON.parse(readFileSync(join(FORMATS, 'vectors', name), 'utf8'));
const has = (program: string) => spawnSync(program, ['--help']).error === undefined;
const WITNESS = `— b.example/log/1/witness ${'A'.repeat(96)}\n`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-timestamps-'));
  writeFileSync(join(folder, 'timestamps.json'), JSON.stringify(read('timestamps.json')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the block of the page prints. */
function run(pack: object): string {
  writeFileSync(join(folder, 'stamped.svcpack'), JSON.stringify(pack));
  return execFileSync('bash', ['-euo', 'pipefail', '-c', RECIPE!], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
}

describe.skipIf(!has('jq') || !has('openssl'))('docs/formats/timestamps.md, "With openssl"', () => {
  const pack = read('stamped.svcpack');

  it('verifies the token of a pack', () => {
    expect(run(pack)).toContain('Time stamp:');
  });

  it('verifies one of a checkpoint that witnesses have signed', () => {
    expect(run({ ...pack, checkpoint: pack.checkpoint + WITNESS })).toContain('Time stamp:');
  });

  it('verifies one of an earlier checkpoint than that of the pack', () => {
    const [first, own] = pack.timestamps;
    const stamp = { ...first, token: read('timestamps.json').tokens.earlier };
    const [earlier] = pack.consistency;
    const consistency = [{ ...earlier, checkpoint: earlier.checkpoint + WITNESS }];
    expect(run({ ...pack, consistency, timestamps: [own, stamp] })).toContain('Time stamp:');
  });

  it('fails for a token of another checkpoint', () => {
    const [, own] = pack.timestamps;
    const stamp = { ...own, token: read('timestamps.json').tokens.earlier };
    expect(() => run({ ...pack, timestamps: [stamp] })).toThrow();
  });
});
