import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { PROGRAM } from '../../kit/program.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the compiled demo with a data directory that has no server. TMPDIR shows what it leaves behind. */
function start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  const child = spawn(process.execPath, [PROGRAM, 'demo', ...args], {
    env: { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'data'), TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ ...said, code }))) };
}

const demo = (...args: string[]): Promise<Ended> => start(...args).ended;
const leftBehind = (): string[] => readdirSync(join(folder, 'tmp')).filter((name) => name.startsWith('svc-temporary-'));

describe('svc demo', { timeout: 180_000 }, () => {
  it('runs the whole job on a temporary server, and leaves only the proof pack', async () => {
    const documents = join(folder, 'documents');
    mkdirSync(join(documents, 'deeper'), { recursive: true });
    writeFileSync(
      join(documents, 'skerryvore.md'),
      '# Skerryvore\n\nThe lighthouse at Skerryvore was first lit in 1844.\n',
    );
    writeFileSync(join(documents, 'deeper', 'bell-rock.txt'), 'The lighthouse on the Bell Rock has stood since 1810.');
    writeFileSync(join(documents, 'empty.md'), ' \n');
    writeFileSync(join(documents, 'latin-1.txt'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'));
    const pack = join(folder, 'pack.json');
    const asked = ['When was the lighthouse at Skerryvore lit?', 'bell rock lighthouse'];
    const { code, stdout, stderr } = await demo('--json', '--folder', documents, '--out', pack, '--ask', ...asked);
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      ok: true,
      documents: 2,
      leftOut: [
        { name: 'empty.md', reason: 'empty' },
        { name: 'latin-1.txt', reason: expect.stringMatching(/^not in UTF-8/) },
      ],
      answer: { citations: [{ quote: 'The lighthouse at Skerryvore was first lit in 1844.' }, {}] },
      proof: { mode: 'audit', verdict: 'holds' },
      pack: { file: pack, verified: true, bytes: readFileSync(pack).length },
      flipped: { refused: true, failed: { ok: false } },
    });
    expect(report.questions.map(({ lane, query, results }: any) => [lane, query, results[0].docId])).toEqual([
      ['light', asked[0], 'skerryvore.md'],
      ['verified', asked[1], 'deeper/bell-rock.txt'],
      ['audit', asked[0], 'skerryvore.md'],
    ]);
    expect(report.questions.flatMap(({ results }: any) => results.map(({ addsUp }: any) => addsUp))).not.toContain(
      false,
    );
    expect(verifyPack(readFileSync(pack)).ok).toBe(true);
    const altered = readFileSync(pack);
    expect(altered[report.flipped.offset]).toBe(report.flipped.from);
    altered[report.flipped.offset] = report.flipped.to;
    expect(verifyPack(altered).checks.find(({ ok }) => !ok)).toEqual(report.flipped.failed);
    expect(leftBehind()).toEqual([]);
    await expect(fetch(`${report.server}/healthz`)).rejects.toThrow();
  });

  it('sends no byte of a document to the terminal that it would obey', async () => {
    const documents = join(folder, 'hostile');
    mkdirSync(documents);
    const orders = '\u001b[2J\u009b31m\u202e\u0007';
    writeFileSync(join(documents, 'a.txt'), `${orders} The harbour of ${orders} opens at six.\n# Title ${orders}\n`);
    writeFileSync(join(documents, `${orders}.txt`), 'The name of this file holds orders to a terminal.');
    writeFileSync(join(documents, `${orders}.pdf`), '%PDF-1.4');
    const { code, stdout, stderr } = await demo('--folder', documents, '--ask', 'harbour');
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(stdout + stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    expect(stdout).toContain('\\u001b[2J');
  });

  it('fails when a folder has nothing to ingest, and says what it left out', async () => {
    const documents = join(folder, 'unusable');
    mkdirSync(documents);
    writeFileSync(join(documents, 'report.pdf'), '%PDF-1.4');
    const { code, stderr } = await demo('--folder', documents);
    expect([code, stderr]).toEqual([1, expect.stringContaining('left out, of a type that is not taken: report.pdf')]);
  });

  it('takes its server with it when it is stopped', async () => {
    const { child, ended } = start();
    while (leftBehind().length === 0 && child.exitCode === null) await sleep(20);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    expect(leftBehind()).toEqual([]);
  });

  it('says what to do when it cannot run', async () => {
    const nowhere = await demo('--folder', join(folder, 'nowhere'));
    expect(nowhere).toMatchObject({ code: 1, stderr: `svc: There is no folder ${join(folder, 'nowhere')}\n` });
    const unreachable = await demo('--url', 'http://127.0.0.1:9', '--tenant', 'a', '--api-key', 'svc_key_a_b');
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).not.toContain('    at ');
    expect(unreachable.stderr).toContain('No answer from http://127.0.0.1:9');
    expect(unreachable.stderr).toContain('"npm start" starts it');
    const keyless = await demo('--api', 'http://127.0.0.1:9');
    expect(keyless.stderr).toContain('--api needs --tenant and --api-key');
    expect(existsSync(join(folder, 'data', 'credentials.json'))).toBe(false);
  });
});
