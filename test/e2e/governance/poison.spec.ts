import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, type DaemonCall } from '../../kit/daemon.js';
import { asSuperuser, freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { allOf, foundBy, openIncident, reachable, walk } from '../../medium/incidents/given.js';
import { givenAnswer } from '../../medium/proofs/given.js';

const DOCUMENTS = 10_000;
const A_CALL = 250;
const ANSWERS = 50;
const FACTS_OF_DOCUMENT = 50;
const CORPUS = 'library';
const POISONED = 'page-4711';

let database: TestDatabase;
let dataDir: string;
let api: TestApi;
let acme: TestTenant;
let daemon: ServerProcess;
let call: DaemonCall;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-poison-'));
  api = await startApi({ database });
  acme = api.tenant;
  daemon = await ServerProcess.at(database.url, dataDir, { SVCD_FEATURE_INCIDENTS: '1' }, 'daemon');
  await daemon.start();
  const headers = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': acme.tenantId };
  call = (method, path, body) => send(daemon.url, method, path, body, headers);
}, 120_000);
afterAll(async () => {
  await daemon.stop('SIGKILL');
  await api.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const expectOk = ({ status, body }: Answer): any => {
  expect([status < 300, body.detail]).toEqual([true, undefined]);
  return body;
};
const nameOf = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`;
const storeFacts = async (facts: object[]): Promise<any[]> =>
  expectOk(await call('PUT', '/v1/facts/bulk', facts)).facts;
const factOn = (key: string, source_receipt?: string) => ({
  entity: 'claims',
  key,
  value: `of ${key}`,
  source_receipt,
});

/** What rests on the poisoned page, as it is planted: by names of nodes. */
const planted = new Set<string>();
async function plant(): Promise<void> {
  for (let first = 0; first < DOCUMENTS; first += A_CALL) {
    const documents = Array.from({ length: A_CALL }, (_, i) => ({
      ...{
        doc_id: `page-${first + i}`,
        title: `Page ${first + i}`,
        text: `Page ${first + i} is about heron ${first + i}.`,
      },
    }));
    expectOk(await call('POST', '/v1/local/ingest', { tenant_id: acme.tenantId, corpus_id: CORPUS, documents }));
  }
  const rows = (sql: string) => database.query<{ id: string }>(sql).then((found) => found.map(({ id }) => id));
  const [chunkId] = await rows(`select chunk_id as id from chunk where doc_id = '${POISONED}'`);
  const receipts = await rows(
    `select r.receipt_id as id from ingest i join receipt r on r.receipt_id in (i.receipt_id, i.completed_id) where i.doc_id = '${POISONED}'`,
  );
  const note = (kind: string, ids: readonly string[]) => ids.forEach((id) => planted.add(nameOf({ kind, id })));
  note('document', [`${CORPUS}/${POISONED}`]);
  note('passage', [chunkId!]);
  note('receipt', receipts);
  const direct = await storeFacts(
    Array.from({ length: FACTS_OF_DOCUMENT }, (_, i) => factOn(`direct ${i}`, receipts[0])),
  );
  note(
    'fact',
    direct.map(({ fact_id }) => fact_id),
  );
  note(
    'receipt',
    direct.map(({ receipt_id }) => receipt_id),
  );
  for (let i = 0; i < ANSWERS; i++) {
    const answerId = await givenAnswer(acme, [chunkId!], { agentId: `writer-${i}` });
    const [receipt] = await rows(`select receipt_id as id from answer where answer_id = '${answerId}'`);
    const [fact] = await storeFacts([factOn(`said ${i}`, receipt)]);
    note('answer', [`${answerId}/1`]);
    note('citation', [`${answerId}/1/0`]);
    note('receipt', [receipt!, fact.receipt_id]);
    note('fact', [fact.fact_id]);
  }
  // As many more that rest on nothing bad.
  const [other] = await rows(`select chunk_id as id from chunk where doc_id = 'page-1'`);
  await givenAnswer(acme, [other!], { agentId: 'innocent' });
  await storeFacts(Array.from({ length: 100 }, (_, i) => factOn(`innocent ${i}`)));
}
const dependants = () => [...planted].filter((name) => !/^(document|passage|receipt) /.test(name));

describe('one poisoned page among ten thousand', () => {
  let incident: string;
  let before: string;

  it(
    'has exactly what was planted resting on it, and another program finds the same',
    { timeout: 600_000 },
    async () => {
      await plant();
      expect(dependants()).toHaveLength(200);
      incident = await openIncident(call, acme.tenantId);
      const { radius, state_root } = await walk(call, incident, { kind: 'document', id: `${CORPUS}/${POISONED}` });
      before = state_root.now;
      const nodes = await allOf(call, `${incident}/blast-radius`, 'nodes');
      expect(new Set(nodes.map(nameOf))).toEqual(planted);
      const edges = await allOf(call, `${incident}/blast-radius/edges`, 'edges');
      expect([edges.length, radius.node_count]).toEqual([radius.edge_count, planted.size]);
      expect(reachable(`document ${CORPUS}/${POISONED}`, edges)).toEqual(planted);
    },
  );

  it('is set aside whole or not at all when the daemon is killed in the middle', { timeout: 300_000 }, async () => {
    // Somebody who holds the last fact keeps the walk from its end, with the document withdrawn already.
    const holder = new Client(database.urlAs('svc_operator'));
    await holder.connect();
    await holder.query('begin');
    await holder.query(`select from fact_head where entity = 'claims' for update`);
    const waiting = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%svc_quarantine_facts%'`;
    const request = { kind: 'document', id: `${CORPUS}/${POISONED}`, apply: true };
    const killed = call('POST', `${incident}/blast-radius`, request).catch(() => undefined);
    await expect
      .poll(async () => (await asSuperuser<{ n: number }>(database, waiting))[0]!.n, { timeout: 60_000 })
      .toBe(1);
    await daemon.stop('SIGKILL');
    await killed;
    await holder.query('rollback');
    await holder.end();
    await expect
      .poll(async () => (await asSuperuser<{ n: number }>(database, waiting))[0]!.n, { timeout: 60_000 })
      .toBe(0);
    await daemon.start();
    const { radius, state_root } = (await call('GET', `${incident}/blast-radius`)).body;
    expect([radius.applied_at, state_root.now]).toEqual([null, before]);
    expect(await foundBy(acme, 'heron 4711', CORPUS)).toContain(POISONED);
    expect(await database.query(`select from outbox_event where kind = 'incident.quarantined'`)).toEqual([]);
  });

  it('is set aside, and comes back to the same state root', { timeout: 300_000 }, async () => {
    const applied = await walk(call, incident, { kind: 'document', id: `${CORPUS}/${POISONED}`, apply: true });
    expect(applied.state_root).toMatchObject({ before, after: applied.state_root.now });
    expect(applied.state_root.now).not.toBe(before);
    expect(await foundBy(acme, 'heron 4711', CORPUS)).not.toContain(POISONED);
    const { body } = await call('GET', '/v1/facts/list?entity_prefix=claims&limit=200');
    expect(body.facts.map(({ key }: any) => key).filter((key: string) => !key.startsWith('innocent'))).toEqual([]);
    const undone = await walk(call, incident, { undo: true });
    expect(undone.state_root.now).toBe(before);
    expect((await foundBy(acme, 'heron 4711', CORPUS))[0]).toBe(POISONED);
  });
});
