import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeExportJson } from '../../../src/evidence/export/export-format.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from '../receipts/receipts-daemon.js';

let daemon: ReceiptsDaemon;
let api: TestApi;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  api = await startApi({ database: daemon.database, env: { SVC_DATA_DIR: daemon.dataDir } });
  const { tenantId, call } = api.tenant;
  const document = { tenantId, corpusId: 'zoo', docId: 'wombat', title: 'Wombats', url: 'https://zoo.example/' };
  const { ingestId } = (await call('POST', '/v1/ingest', { ...document, content: 'Wombats dig at night.' })).body;
  while ((await call('GET', `/v1/ingest/${ingestId}`)).body.status !== 'completed') await sleep(20);
  const found = await call('POST', '/v1/retrieve', { agentId: 'a', query: 'wombats', includeCommons: false });
  const answer = { agentId: 'a', answerId: 'answer-1', answerText: 'They dig.', idempotencyKey: 'answer once' };
  const citations = [{ chunkId: found.body.results[0].chunkId }];
  await call('POST', '/v1/citations', { ...answer, citations }, { 'x-idempotency-key': '' });
}, 120_000);
afterAll(async () => {
  await api.close();
  await daemon.close();
});

/** What an export shows of items, without the values: these are salted, signed and new each time. */
async function exported(): Promise<string[]> {
  const url = `${daemon.url}/v1/replay/exports/answers/answer-1?tenant_id=${api.tenant.tenantId}`;
  const response = await fetch(url, {
    headers: { 'x-svc-scopes': 'exports:read receipts:read', 'x-svc-tenant-id': api.tenant.tenantId },
  });
  const text = await response.text();
  const { disclosures } = decodeExportJson(Buffer.from(text), JSON.parse(text));
  return disclosures.map(({ path }) => path.join('.'));
}

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
