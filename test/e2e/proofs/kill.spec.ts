import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { caller, type TestTenant } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { ended, givenAnswer, givenDocument, retrieve } from '../../medium/proofs/given.js';

const KILLS = 3;
const JOBS_A_KILL = 40;
const CHANGES = 1000;
const TEXT = 'The lighthouse keeper trims the lamp at dusk.';

let database: TestDatabase;
let dataDir: string;
let api: ServerProcess;
let acme: TestTenant;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-proofs-'));
  const made = await TenantsStore.using({ ownerUrl: database.url }, (store) => store.createTenant('acme', 'team'));
  const { keyId, key } = made!;
  api = await ServerProcess.at(database.url, dataDir);
  await api.start();
  acme = { tenantId: 'acme', keyId, apiKey: key.apiKey, call: caller(api.url, 'acme', key.apiKey) };
  await givenDocument(acme, { text: TEXT });
});
afterAll(async () => {
  await api.stop('SIGTERM');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

it('kill -9 in the middle of proofs loses none and makes none twice', async () => {
  const [{ chunkId }] = await retrieve(acme, 'lighthouse', { lane: 'audit' });
  const answerId = await givenAnswer(acme, [chunkId]);
  const accepted: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const opened = await Promise.all(
      Array.from({ length: JOBS_A_KILL }, () => acme.call('POST', '/v1/proof/jobs', { mode: 'audit', answerId })),
    );
    accepted.push(...opened.map(({ body }) => body.jobId as string));
    await setTimeout(100 * kill);
    await api.stop('SIGKILL');
    await api.start();
  }
  // A killed worker's job is given to another one when its heartbeat has stopped.
  const states = () => database.query(`select status, verdict, count(*)::int as n from proof_job group by 1, 2`);
  await expect
    .poll(states, { timeout: 120_000, interval: 250 })
    .toEqual([{ status: 'completed', verdict: 'holds', n: KILLS * JOBS_A_KILL }]);
  const receipts = await database.query<{ subject: string }>(
    `select subject, count(*)::int as n from receipt where kind = 'proof.completed' group by 1`,
  );
  expect(receipts).toEqual(expect.arrayContaining(accepted.map((subject) => ({ subject, n: 1 }))));
  expect(receipts).toHaveLength(accepted.length);
});

it('a downloaded pack verifies with a program written from the formats alone, and no changed one does', async () => {
  const [{ chunkId }] = await retrieve(acme, 'lighthouse', { lane: 'audit' });
  const answerId = await givenAnswer(acme, [chunkId]);
  const made = await acme.call('POST', '/v1/proof/jobs', { mode: 'audit', answerId });
  const job = await ended(acme, made.body.jobId);
  const response = await fetch(api.url + job.links.proofpack, {
    headers: { 'x-tenant-id': 'acme', 'x-api-key': acme.apiKey },
  });
  const file = Buffer.from(await response.arrayBuffer());
  const saved = join(dataDir, 'pack.json');
  writeFileSync(saved, file);
  const { judge } = (await import(/* @vite-ignore */ INDEPENDENT)) as {
    judge(file: Uint8Array): { ok: boolean; failed?: string };
  };
  expect([judge(file).ok, verifyPack(file).ok]).toEqual([true, true]);
  const accepted = [];
  for (let n = 0; n < CHANGES; n++) {
    const changed = Buffer.from(file);
    const at = Math.floor((n * file.length) / CHANGES);
    changed[at] = changed[at]! ^ (1 + (n % 255));
    if (judge(changed).ok || verifyPack(changed).ok) accepted.push(at);
  }
  expect(accepted).toEqual([]);
});

/** Plain JavaScript without types, by path: the independent program is no part of the build. */
const INDEPENDENT = join(import.meta.dirname, '../evidence/independent-verifier.mjs');
