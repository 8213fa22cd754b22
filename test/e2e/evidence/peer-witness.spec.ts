import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';
import { removeDataDir, SvcProcess, until } from '../processes/svc-process.js';

let folder: string;
let a: SvcProcess;
let b: SvcProcess;
let witnessKey: string;

/** One verb with --json, on the data directory of a server. */
function run(svc: SvcProcess | undefined, ...args: string[]): { code: number | null; said: any; stderr: string } {
  const env = {
    PATH: process.env['PATH'],
    ...(svc ? { SVC_DATA_DIR: svc.dataDir, SVC_LOG_ORIGIN: svc === a ? 'a.example/log' : 'b.example/log' } : {}),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args, '--json'], {
    env,
    encoding: 'utf8',
  });
  return { code: status, said: JSON.parse(stdout), stderr };
}

const start = (name: string, environment: Record<string, string> = {}) =>
  SvcProcess.start(join(folder, name), { environment: { SVC_LOG_ORIGIN: `${name}.example/log`, ...environment } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-witness-'));
  b = await start('b');
  const pinned = run(b, 'key', 'pin', '--witness');
  witnessKey = pinned.said.verifier_key;
  a = await start('a', { SVC_WITNESSES: `${witnessKey}@${b.credentials.daemon_url}/v1/witness` });
}, 600_000);
afterAll(async () => {
  for (const [name, svc] of [
    ['a', a],
    ['b', b],
  ] as const) {
    await svc.stop();
    removeDataDir(join(folder, name));
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('a server that another one watches', { timeout: 240_000 }, () => {
  it('gets its line into packs, which svc verify accepts from who knows the witness', async () => {
    const firstKey: string = run(a, 'key', 'pin').said.verifier_key;
    const { code, said } = run(b, 'peer-log', 'pin', 'a', '--key', firstKey, '--url', a.credentials.daemon_url);
    expect([code, said.log]).toEqual([0, 'a.example/log']);

    const tenant = caller(a.url, a.credentials.tenant_id, a.credentials.api_key);
    const document = { tenantId: 'default', corpusId: 'notes', docId: 'one', title: 'One', content: 'The lighthouse.' };
    const { body } = await tenant('POST', '/v1/ingest', { ...document, url: 'https://example.org/one' });
    await until(
      'the ingest',
      async () => (await tenant('GET', `/v1/ingest/${body.ingestId}`)).body.status === 'completed',
    );
    const { receiptId } = body;
    expect(receiptId).toBeDefined();
    await until('the witness', async () => {
      const pack = await tenant('GET', `/v1/proof/receipts/${receiptId}/proofpack`);
      return pack.status === 200 && pack.body.checkpoint.includes('b.example/log/1/witness');
    });

    const [pin, file] = [join(folder, 'a.pin'), join(folder, 'pack.json')];
    writeFileSync(pin, firstKey);
    writeFileSync(file, (await tenant('GET', `/v1/proof/receipts/${receiptId}/proofpack`)).text);
    const verified = run(undefined, 'verify', file, '--key', pin, '--witness', witnessKey);
    expect([verified.code, verified.said.ok]).toEqual([0, true]);
    expect(verified.said.checks.at(-1).detail).toContain('b.example/log/1/witness saw it 20');
    const other = run(b, 'key', 'pin', '--witness').said.verifier_key.replace('b.example', 'c.example');
    expect(run(undefined, 'verify', file, '--key', pin, '--witness', other).code).not.toBe(0);
  });

  it('is looked at from the command line, which says what is known of it', () => {
    const looked = run(b, 'peer-log', 'look', 'a');
    expect(looked.said).toMatchObject({ origin: 'a.example/log/1', cosigned: true });
    const { said } = run(b, 'peer-log', 'list');
    expect(said.peer_logs).toMatchObject([
      { origin: 'a.example/log/1', state: 'ok', not_cosigned: null, peers: [{ tenant_id: 'default', peer_id: 'a' }] },
    ]);
    expect(said.peer_logs[0].witness_key).toMatch(/^a\.example\/log\/1\/witness\+/);
    const { code, said: refused } = run(b, 'peer-log', 'clear', 'a.example/log', '--reason', 'to see');
    expect([code, refused.error]).toEqual([1, expect.stringContaining('out of order')]);
    expect(run(b, 'peer-log', 'pin', 'x', '--key', 'nonsense').said.error).toContain('note verifier key');
    expect(run(b, 'peer-log', 'pin', 'x', '--tenant', 'nobody', '--key', witnessKey).said.error).toContain('nobody');
    expect(run(b, 'doctor').said.checks.find((check: any) => check.name === 'evidence')?.ok ?? true).toBe(true);
    expect(run(b, 'peer-log', 'unpin', 'a').said.unpinned).toBe(true);
  });
});
