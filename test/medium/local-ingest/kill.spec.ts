import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SegmentCheck } from '../../../src/modules/memory/local-ingest/segment-check.service.js';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';
import { startDaemon } from '../../kit/daemon.js';
import { Platform } from '../envelopes/envelope-maker.js';

const KILLS = 5;
const platform = new Platform();

let acme: AcmeDaemon;
beforeAll(async () => {
  const keys = join(mkdtempSync(join(tmpdir(), 'svc-platform-')), 'platform.jwks');
  writeFileSync(keys, JSON.stringify({ keys: [platform.jwk()] }));
  acme = await startAcmeDaemon({ SVCD_PLATFORM_KEYS_FILE: keys });
}, 60_000);
afterAll(() => acme.close());

const sealed = new Map<number, string>();
const imported = new Set<string>();
let isOver = false;

async function ingest(writer: number): Promise<void> {
  for (let n = 0; !isOver; n += 1) {
    const documents = [`own-${writer}`, 'shared'].map((doc_id) => ({
      doc_id,
      title: doc_id,
      text: `Text ${writer}.${n}.`,
    }));
    const answer = await acme.attempt('POST', '/v1/local/ingest', { tenant_id: 'acme', corpus_id: 'birds', documents });
    if (answer?.status === 200) {
      expect(sealed.has(answer.body.segment_seq as number)).toBe(false);
      sealed.set(answer.body.segment_seq as number, answer.body.receipt_id as string);
    }
    if (acme.daemon.hasEnded) await sleep(20);
  }
}

async function importResults(writer: number): Promise<void> {
  for (let n = 0; !isOver; n += 1) {
    const job_id = `job-${writer}-${n}`;
    const payload = {
      facts: [{ entity: job_id, key: 'k', value: 'v' }],
      entities: [{ kind: 'job', id: job_id, payload: {} }],
      edges: [{ from_kind: 'job', from_id: job_id, edge_kind: 'of', to_kind: 'tenant', to_id: 'acme' }],
    };
    const envelope = await platform.sign({ job_id, payload, tenant_id: 'acme' });
    while (!(await isImported(envelope))) if (isOver) return;
    imported.add(job_id);
  }
}

/** Sent again until it is answered that it is there: 409 where the answer before was lost with the daemon. */
async function isImported(envelope: object): Promise<boolean> {
  const answer = await acme.attempt('POST', '/v1/result-envelope/import', envelope);
  if (!answer) await sleep(20);
  return answer?.status === 200 || answer?.status === 409;
}

it('keeps what it sealed and imported through kill -9, whole and once', async () => {
  const writers = [ingest(0), ingest(1), ingest(2), importResults(0), importResults(1)];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = sealed.size + imported.size;
    while (sealed.size + imported.size < before + 20 + kill * 3) await sleep(5);
    await acme.daemon.stop('SIGKILL');
    await acme.daemon.start();
  }
  isOver = true;
  await Promise.all(writers);

  const segments = await acme.database.query<{ segment_seq: string; receipt_id: string; documents: number }>(
    `select s.segment_seq, s.receipt_id, (select count(*)::int from ingest i where i.receipt_id = s.receipt_id and i.status = 'completed') as documents
     from sealed_segment s join receipt r using (tenant_id, receipt_id) where tenant_id = 'acme' order by s.segment_seq`,
  );
  expect(segments.map(({ segment_seq }) => Number(segment_seq))).toEqual(segments.map((_, place) => place + 1));
  expect(segments.every(({ documents }) => documents === 2)).toBe(true);
  const kept = new Map(segments.map(({ segment_seq, receipt_id }) => [Number(segment_seq), receipt_id]));
  expect([...sealed].filter(([seq, receipt]) => kept.get(seq) !== receipt)).toEqual([]);
  const [counts] = await acme.database.query<Record<string, number>>(
    `select (select count(*)::int from ingest where finished_at is null) as unfinished,
       (select count(*)::int from receipt where kind = 'local.ingested') - ${segments.length} as odd_receipts,
       (select count(*)::int from result_envelope) - (select count(*)::int from fact) as odd_facts,
       (select count(*)::int from result_envelope) - (select count(*)::int from graph_entity) as odd_entities,
       (select count(*)::int from result_envelope) - (select count(*)::int from graph_edge) as odd_edges,
       (select count(*)::int from result_envelope) - (select count(*)::int from receipt where kind = 'result_envelope.imported') as odd_imports`,
  );
  expect(Object.entries(counts!).filter(([, count]) => count !== 0)).toEqual([]);
  const jobs = await acme.database.query<{ job_id: string }>('select job_id from result_envelope');
  const found = new Set(jobs.map(({ job_id }) => job_id));
  expect([...imported].filter((job) => !found.has(job))).toEqual([]);

  const other = await startDaemon({ database: acme.database });
  expect((await other.app.get(SegmentCheck).step()).corrupt).toEqual([]);
  await other.close();
}, 300_000);
