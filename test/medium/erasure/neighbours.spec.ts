import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { SUBJECT_CHECKS } from '../../../src/modules/operations/readiness/subject-checks.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { ALL_SCOPES, type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';

let api: TestApi;
let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database, env: { SVCD_FEATURE_LEGAL_HOLD: '1', SVC_LOG_LEVEL: 'error' } });
  call = daemon.as({ scopes: ALL_SCOPES, tenant: api.tenant.tenantId });
}, 120_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
});

async function ingest(docId: string): Promise<void> {
  const document = { docId, corpusId: 'man', title: docId, url: 'https://example.org/', content: `About ${docId}.` };
  const { body } = await api.tenant.call('POST', '/v1/ingest', { tenantId: api.tenant.tenantId, ...document });
  const stateOf = async () => (await api.tenant.call('GET', `/v1/ingest/${body.ingestId}`)).body.status;
  while ((await stateOf()) !== 'completed') await sleep(50);
}

const erase = async (corpusId: string, docId: string) => {
  const { status, body } = await call('POST', '/v1/facts/erase', {
    documents: [{ corpus_id: corpusId, doc_id: docId }],
  });
  return { status, ...body.erasure };
};

async function faults(): Promise<unknown[]> {
  await api.app.get(LogSequencer).integrate();
  const audit = api.app.get(EvidenceAudit);
  return [...(await audit.verifyChain(SUBJECT_CHECKS)).faults, ...(await audit.verifyLog()).faults];
}

it(
  'an erasure leaves the receipts before and after those of an erased document verified',
  { timeout: 60_000 },
  async () => {
    await ingest('otter');
    await ingest('heron');
    await ingest('grebe');
    expect((await erase('man', 'heron')).status).toBe(200);
    await api.app.get(LogSequencer).integrate();
    const { body } = await call('GET', `/v1/receipts/list?tenant_id=${api.tenant.tenantId}&limit=100`);
    const rows = body.rows as { receipt_id: string; kind: string }[];
    expect(rows.length).toBeGreaterThan(3);
    for (const { receipt_id: id, kind } of rows)
      expect(
        (await call('GET', `/v1/receipts/${id}/verification?tenant_id=${api.tenant.tenantId}`)).body,
        kind,
      ).toMatchObject({ verified: true });
    expect(await faults()).toEqual([]);
  },
);

it(
  'an erasure leaves the end of a chain where its head says, when the newest receipt goes',
  { timeout: 60_000 },
  async () => {
    await ingest('stork');
    expect((await erase('man', 'stork')).status).toBe(200);
    await api.app.get(LogSequencer).integrate();
    const { body } = await call('GET', '/readyz');
    expect(JSON.stringify(body)).not.toContain('do not end where their heads say');
  },
);

it(
  'an erasure takes what local ingest sealed of the document, and leaves the others of the call',
  { timeout: 60_000 },
  async () => {
    const documents = ['marten', 'badger'].map((doc_id) => ({ doc_id, title: doc_id, text: `The ${doc_id} sleeps.` }));
    const sent = await call('POST', '/v1/local/ingest', {
      ...{ tenant_id: api.tenant.tenantId, corpus_id: 'notes', documents },
    });
    expect(sent.status).toBe(200);
    const hold = { tenant_id: api.tenant.tenantId, reason: 'a dispute', entity_prefixes: ['document:notes/badger'] };
    const held = await call('POST', '/v1/legal-holds', hold);
    expect([held.status, (await erase('notes', 'marten')).status]).toEqual([201, 409]);
    expect((await call('DELETE', `/v1/legal-holds/${held.body.hold.id}`)).status).toBe(200);

    const erased = await erase('notes', 'marten');
    expect([erased.status, erased.counts]).toEqual([200, expect.objectContaining({ sealed_segment: 1 })]);
    expect((await call('GET', '/v1/admin/segments/1')).status).toBe(404);
    const found = await api.tenant.call('POST', '/v1/retrieve', { query: 'badger sleeps', includeCommons: false });
    expect(found.body.results).toMatchObject([{ docId: 'badger' }]);
    expect(await faults()).toEqual([]);
  },
);
