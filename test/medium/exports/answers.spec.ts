import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeExportJson } from '../../../src/evidence/export/export-format.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';

const LIMITS = { bytes: 2 ** 26, ratio: 200, ratioFloor: 2 ** 20, entries: 100 };

let daemon: ReceiptsDaemon;
let api: TestApi;
let citations: { chunkId: string }[];
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  api = await startApi({ database: daemon.database, env: { SVC_DATA_DIR: daemon.dataDir } });
  const { tenantId, call } = api.tenant;
  const document = { tenantId, corpusId: 'zoo', docId: 'wombat', title: 'Wombats', url: 'https://zoo.example/' };
  const { ingestId } = (await call('POST', '/v1/ingest', { ...document, content: 'Wombats dig at night.' })).body;
  while ((await call('GET', `/v1/ingest/${ingestId}`)).body.status !== 'completed') await sleep(20);
  const found = await call('POST', '/v1/retrieve', { agentId: 'a', query: 'wombats', includeCommons: false });
  citations = [{ chunkId: found.body.results[0].chunkId }];
  await recordAnswer('answer-1', 'They dig.', 'answer once');
}, 120_000);
afterAll(async () => {
  await api.close();
  await daemon.close();
});

async function recordAnswer(answerId: string, answerText: string, idempotencyKey: string): Promise<void> {
  const body = { agentId: 'a', answerId, answerText, citations, idempotencyKey };
  expect((await api.tenant.call('POST', '/v1/citations', body, { 'x-idempotency-key': '' })).status).toBe(201);
}

/** What an export shows of items, without the values: these are salted, signed and new each time. */
async function exported(): Promise<string[]> {
  return pathsIn(await fetchExport());
}

const pathsIn = (text: string): string[] =>
  decodeExportJson(Buffer.from(text), JSON.parse(text)).disclosures.map(({ path }) => path.join('.'));

async function fetchExport(query = '', answerId = 'answer-1'): Promise<string> {
  const url = `${daemon.url}/v1/replay/exports/answers/${answerId}?tenant_id=${api.tenant.tenantId}${query}`;
  const response = await fetch(url, {
    headers: { 'x-svc-scopes': 'exports:read receipts:read', 'x-svc-tenant-id': api.tenant.tenantId },
  });
  return response.text();
}

it.each([
  ...['answer_id', 'version', 'ordinal', 'chunk_id', 'content_hash', 'binding', 'binding.index', 'binding.path'],
  ...['corpus_id', 'doc_id', 'doc_version', 'start', 'title', 'items.*.answer_id', 'items.*.version'],
])('an answer without each %s verifies as the whole one does', async (redaction) => {
  const { checks } = await verifyBundle(Buffer.from(await fetchExport(`&redaction=${redaction}`)), LIMITS);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

it('an answer without the places of its citations shows their receipts, and no content', async () => {
  const paths = pathsIn(await fetchExport('&redaction=ordinal'));
  const endings = ['.content', '.content_hash', '.cose'].map((end) => paths.some((path) => path.endsWith(end)));
  expect(endings).toEqual([false, true, true]);
});

it('an answer is exported with its own citations, also while a newer version is recorded', async () => {
  const before = await exported();
  expect(before.some((path) => path.endsWith('.chunk_id'))).toBe(true);
  await whileLocked(daemon.database, 'lock table citation in access exclusive mode', async (recording) => {
    const meanwhile = exported();
    await recording.waitForBlocked(1, 'from citation');
    for (const table of ['answer', 'citation'])
      await recording.query(
        `insert into ${table} select (jsonb_populate_record(t, '{"version": 2}')).* from ${table} t where version = 1`,
      );
    await recording.commit();
    expect(await meanwhile).toEqual(before);
  });
});

it('an answer that no receipt speaks of is not exported', async () => {
  await daemon.database.query(
    `insert into answer select (jsonb_populate_record(t, jsonb_build_object('answer_id', 'forged', 'receipt_id', gen_random_uuid()))).*
     from answer t where answer_id = 'answer-1' and version = 1`,
  );
  const url = `${daemon.url}/v1/replay/exports/answers/forged?tenant_id=${api.tenant.tenantId}`;
  const headers = { 'x-svc-scopes': 'exports:read receipts:read', 'x-svc-tenant-id': api.tenant.tenantId };
  const response = await fetch(url, { headers });
  expect([response.status, await response.json()]).toEqual([
    500,
    expect.objectContaining({ code: 'EVIDENCE_DAMAGED', detail: expect.stringContaining('is not there') }),
  ]);
});

it('every version of an answer is held against its own receipt', async () => {
  for (let n = 1; n <= 22; n++) await recordAnswer('revised', `They dig, ${n}.`, `revised ${n}`);
  await daemon.tamper(`update answer set answer_text = 'They fly.' where answer_id = 'revised' and version = 20`);
  await daemon.tamper(`update citation set note = 'They do.' where answer_id = 'revised' and version = 22`);
  const text = await fetchExport('&mode=audit', 'revised');
  const items = new Map<unknown, Record<string, unknown>>();
  for (const { path, value } of decodeExportJson(Buffer.from(text), JSON.parse(text)).disclosures)
    items.set(path[1], { ...items.get(path[1]), [String(path[2])]: value });
  const found = [...items.values()].filter(({ answer }) => answer !== undefined);
  expect(found.map(({ version, answer }) => [version, answer])).toEqual(
    Array.from({ length: 22 }, (_, n) => [n + 1, [20, 22].includes(n + 1) ? 'changed' : 'intact']),
  );
});
