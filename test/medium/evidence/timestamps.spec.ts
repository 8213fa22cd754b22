import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timestampsCheck } from '../../../src/cli/doctor/outside-checks.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import type { Query } from '../../../src/common/tenancy/cross-tenant.js';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import type { FileTimestamp } from '../../../src/evidence/file-timestamps.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { parseCertificates } from '../../../src/evidence/certificate-path.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { openssl, startTsa, type TestTsa } from '../../kit/tsa.js';
import { givenDocument, retrieve } from '../proofs/given.js';

const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };

interface Pack {
  checkpoint: string;
  consistency: { checkpoint: string }[];
  timestamps?: FileTimestamp[];
}

let tsa: TestTsa;
let other: TestTsa;
let api: TestApi;
let env: Record<string, string>;
beforeAll(async () => {
  [tsa, other] = await Promise.all([startTsa(), startTsa('rsa')]);
  env = { SVC_TSA_URL: tsa.url, SVC_TSA_CA_FILE: tsa.caFile, SVC_TSA_POLICY: '1.2.3.4.1', SVC_TSA_EVERY_SEC: '1' };
  api = await startApi({ env });
  await givenDocument(api.tenant, { text: 'Every member of staff has 25 days of annual leave.' });
});
afterAll(async () => {
  await api.close();
  await Promise.all([tsa.close(), other.close()]);
});

const head = async (): Promise<string> => (await fetch(`${api.url}/tlog/checkpoint`)).text();
const rows = () =>
  api.database.query<{ size: string; checkpoint: string }>(
    `select * from log_timestamp where origin <> 'older' order by size`,
  );

/** The size of the newest head, once it is stamped. */
async function stamped(): Promise<number> {
  for (let tries = 0; tries < 1200; tries++) {
    const { size } = parseCheckpoint(await head());
    if (Number((await rows()).at(-1)?.size ?? 0) === size) return size;
    await sleep(50);
  }
  throw new Error(`not stamped; asked ${tsa.asked} times`);
}

/** Makes the log grow, and returns when it has a new head. */
async function grow(): Promise<void> {
  const { size } = parseCheckpoint(await head());
  await retrieve(api.tenant, 'annual leave', { lane: 'audit' });
  while (parseCheckpoint(await head()).size === size) await sleep(20);
}

async function packFile(): Promise<Uint8Array> {
  const [ingest] = await api.database.query<{ receipt_id: string }>('select receipt_id from ingest limit 1');
  const { tenantId, apiKey } = api.tenant;
  const response = await fetch(`${api.url}/v1/proof/receipts/${ingest!.receipt_id}/proofpack`, {
    headers: { 'x-tenant-id': tenantId, 'x-api-key': apiKey },
  });
  return response.bytes();
}
const pack = async (): Promise<Pack> => JSON.parse(Buffer.from(await packFile()).toString()) as Pack;
const detailOf = async (file: Uint8Array, caFile?: string) => {
  const authorities = caFile === undefined ? undefined : parseCertificates(readFileSync(caFile, 'utf8'));
  const { checks } = await verifyBundle(file, LIMITS, { authorities });
  return checks.find(({ name }) => name === 'timestamps');
};
const ask: Query = async <Row>(sql: string, parameters?: unknown[]) =>
  api.database.query<Row & object>(sql, parameters);
const examine = () => timestampsCheck(loadSettings(env), ask).run();
const metrics = async (): Promise<string> => (await fetch(`${api.url}/metrics`)).text();

describe('timestamps of the log', () => {
  it('are in a pack, over a checkpoint that openssl verifies them with', async () => {
    await stamped();
    await grow();
    const { checkpoint, consistency, timestamps } = await pack();
    const [stamp] = timestamps ?? [];
    const over = [checkpoint, ...consistency.map((one) => one.checkpoint)].find(
      (text) => parseCheckpoint(text).size === stamp?.size,
    );
    const file = (name: string) => join(tsa.folder, name);
    writeFileSync(file('checkpoint'), over ?? '');
    writeFileSync(file('token'), Buffer.from(stamp?.token ?? '', 'base64'));
    const input = ['-data', file('checkpoint'), '-in', file('token'), '-token_in', '-CAfile', tsa.caFile];
    expect((await openssl('ts', '-verify', ...input)).stdout).toContain('Verification: OK');
  });

  it('are verified, and their authority by its root alone', async () => {
    await stamped();
    const file = await packFile();
    expect(await detailOf(file)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^1 of 1 records were in the log at 20.*Example tsa; the authority is NOT PINNED/),
    });
    expect(await detailOf(file, tsa.caFile)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/; the authority is known$/),
    });
    expect(await detailOf(file, other.caFile)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^no chain leads from O=Example, CN=Example tsa/),
    });
  });

  it('of a pack are the first that has its records, also when later ones are there', async () => {
    await stamped();
    const [first] = (await pack()).timestamps ?? [];
    await grow();
    await stamped();
    const { timestamps, checkpoint } = await pack();
    expect([timestamps?.length, timestamps?.[0]?.size]).toEqual([1, first?.size]);
    expect(parseCheckpoint(checkpoint).size).toBeGreaterThan(first!.size);
  });

  it.each([
    ['answers nothing', 'silence', /timeout|aborted/],
    ['answers garbage', { body: Buffer.from('garbage') }, /no TimeStampResp/],
    ['answers without end', 'flood', /longer than 65536 bytes/],
    ['answers 503', { status: 503 }, /it answered 503/],
    ['stamps something else', 'another imprint', /over something else/],
    ['sends an old answer', 'an old answer', /over something else|another nonce/],
  ] as const)(
    'stop nothing when the authority %s: it is counted, and doctor says it',
    async (_, fault, reason) => {
      const before = await stamped();
      tsa.fault = fault;
      await grow();
      await expect(
        poll(() =>
          examine().then(
            () => undefined,
            (error: Error) => error.message,
          ),
        ),
      ).resolves.toMatch(reason);
      expect((await rows()).at(-1)?.size).toBe(String(before));
      expect(await detailOf(await packFile())).toMatchObject({ ok: true });
      tsa.fault = undefined;
      await stamped();
      expect(await examine()).toMatch(/^the log was stamped last 20/);
      expect(await metrics()).toMatch(/svc_timestamps_total\{outcome="failed"\} [1-9]/);
    },
    60_000,
  );

  it('are thinned out: the newest stay, and the first of each day', async () => {
    await api.database.query(`
      insert into log_timestamp (origin, size, checkpoint, token, stamped_at, authority)
      select 'older', n, '', '', timestamptz '2026-01-01Z' + n * interval '6 hours', '' from generate_series(0, 39) n`);
    await grow();
    await stamped();
    const kept = await api.database.query<{ size: string }>(
      `select size from log_timestamp where origin = 'older' order by size`,
    );
    const sizes = kept.map(({ size }) => Number(size));
    expect(sizes.filter((size) => size < 24)).toEqual([0, 4, 8, 12, 16, 20]);
  });
});

/** What work gives, once it gives something. */
async function poll<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1200; tries++) {
    const found = await work();
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error('nothing in a minute');
}
