import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

let api: TestApi;
let folder: string;
beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });
  folder = mkdtempSync(join(tmpdir(), 'svc-quality-'));
  api = await startApi();
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (file: string, lines: string[]) => writeFileSync(join(folder, file), lines.join('\n'));

/** Runs the compiled benchmark on the collection in the folder, against the server of this test. */
async function quality(
  environment: Record<string, string>,
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env['PATH'],
    SVC_BENCH_URL: api.url,
    SVC_BENCH_TENANT_ID: api.tenant.tenantId,
    ...environment,
  };
  const child = spawn(process.execPath, [join(ROOT, 'dist-bench', 'bench', 'quality.js'), folder, '--json'], { env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

it('measures each lane of the server it is pointed at', async () => {
  write('corpus.jsonl', [
    '{"id":"d1","title":"Skerryvore","text":"The lighthouse at Skerryvore was lit in 1844."}',
    '{"id":"d2","title":"Bell Rock","text":"The lighthouse on the Bell Rock has stood since 1810."}',
    '{"id":"d3","title":"Only a title","text":""}',
    '{"id":"d4","title":"","text":"  "}',
  ]);
  write('queries.jsonl', [
    '{"id":"q1","text":"bell rock lighthouse"}',
    '{"id":"q2","text":"skerryvore"}',
    '{"id":"q3","text":"title"}',
  ]);
  write('qrels.tsv', ['query-id\tcorpus-id\tscore', 'q1\td2\t2', 'q1\td1\t1', 'q2\td1\t1', 'q2\td2\t1', 'q3\td3\t0']);
  const { code, stdout, stderr } = await quality({ SVC_BENCH_API_KEY: api.tenant.apiKey });
  expect(code, stderr).toBe(0);
  // q3 has nothing relevant and is left out; of what is relevant to q2 only one document has its word.
  const half = 1 / (1 + 1 / Math.log2(3));
  const lane = { ndcg10: (1 + half) / 2, recall10: 0.75, recall50: 0.75, changed: 0 };
  expect(JSON.parse(stdout)).toMatchObject({
    folder,
    documents: 3,
    queries: 2,
    lanes: { light: { ...lane, recall100: 0.75 }, verified: lane, audit: lane },
    sameTopTenInProcess: 2,
  });
});

it('says why it cannot measure', async () => {
  expect(await quality({})).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SVC_BENCH_API_KEY are needed too'),
  });
  const refused = await quality({ SVC_BENCH_API_KEY: 'svc_key_wrong_one' });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('bench:quality: POST /v1/ingest/batch: 401 Unauthorized');
  expect(refused.stderr).toContain('"svc key create <tenant>" makes a new key');
});
