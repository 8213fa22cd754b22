import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { startApi } from '../../kit/app.js';
import { startAcme, type AcmeApi } from '../../kit/server-process.js';

/** Raise these for a longer trial: acceptance was tried with 20 kills in 2,000 ingests. */
const KILLS = 3;
const INGESTS = 200;
const CORPORA = Math.ceil(INGESTS / 40);
const CLIENTS = 8;
/** A lost worker is noticed after its heartbeat of 10 s; a job may be lost several times in a row. */
const WITHIN_MS = 60_000 + KILLS * 15_000;

let acme: AcmeApi;
beforeAll(async () => {
  acme = await startAcme();
});
afterAll(() => acme.close());

interface Sent {
  ingestId: string;
  docId: string;
  content: string;
}

/** Sends a document until it is accepted, always with the same idempotency key, as a careful client does. */
async function send(index: number): Promise<Sent> {
  // Every fourth document is a later version of the one before it.
  const docId = `doc-${index % 4 === 3 ? index - 1 : index}`;
  const content = `Marsupial number ${index}.`;
  const document = {
    tenantId: 'acme',
    corpusId: corpusOf(docId),
    docId,
    title: docId,
    content,
    url: `https://example.com/${docId}`,
  };
  for (;;) {
    const answer = await acme
      .call('POST', '/v1/ingest', document, { 'x-idempotency-key': `ingest-${index}` })
      .catch(() => undefined);
    if (answer?.status === 202) return { ingestId: answer.body.ingestId as string, docId, content };
    if (answer && answer.status !== 409 && answer.status !== 503) throw new Error(`${answer.status}: ${answer.text}`);
    await sleep(50);
  }
}

const corpusOf = (docId: string): string => `corpus-${Number(docId.slice(4)) % CORPORA}`;

async function sendAll(): Promise<Sent[]> {
  const sent: Sent[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let index = next++; index < INGESTS; index = next++) sent[index] = await send(index);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return sent;
}

/** Kills the process while requests and jobs are in progress, KILLS times. */
async function killAgainAndAgain(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(150 + ((kill * 211) % 400));
    await acme.api.stop('SIGKILL');
    await acme.api.start();
  }
}

async function unfinished(): Promise<number> {
  const [row] = await acme.database.query<{ n: number }>(
    'select count(*)::int as n from ingest where finished_at is null',
  );
  return row!.n;
}

describe('killed again and again', () => {
  let sent: Sent[];

  it('the API ends every accepted ingest', { timeout: WITHIN_MS + 60_000 }, async () => {
    [sent] = await Promise.all([sendAll(), killAgainAndAgain()]);
    await expect.poll(unfinished, { timeout: WITHIN_MS, interval: 250 }).toBe(0);
    const ends = await Promise.all(sent.map(({ ingestId }) => acme.call('GET', `/v1/ingest/${ingestId}`)));
    expect(
      ends
        .filter(({ body }) => body.status !== 'completed' && !(body.status === 'failed' && body.error))
        .map(({ body }) => body),
    ).toEqual([]);
    expect(new Set(sent.map(({ ingestId }) => ingestId)).size).toBe(INGESTS);
    const [row] = await acme.database.query<{ n: number }>('select count(*)::int as n from ingest');
    expect(row).toEqual({ n: INGESTS });
  });

  it('search finds the last version of every document, once', { timeout: 60_000 }, async () => {
    const latest = await acme.database.query<{ doc_id: string; content: string }>(
      `select distinct on (doc_id) i.doc_id, v.content from ingest i join document_version v using (tenant_id, corpus_id, doc_id, version)
       where i.status = 'completed' order by i.doc_id, i.version desc`,
    );
    const found: string[][] = [];
    for (let corpus = 0; corpus < CORPORA; corpus += 1) {
      const { status, body } = await acme.call('POST', '/v1/retrieve', {
        query: 'marsupial',
        limit: 50,
        corpusIds: [`corpus-${corpus}`],
      });
      expect(status).toBe(200);
      for (const result of body.results) found.push([result.docId, result.content]);
    }
    expect(found.sort()).toEqual(latest.map((row) => [row.doc_id, row.content]).sort());
  });

  it('every version that came into search has one receipt over its passages, and no other has one', async () => {
    const rows = await acme.database.query<{ indexed: boolean; receipts: number }>(
      `select exists (select from chunk c where c.tenant_id = v.tenant_id and c.corpus_id = v.corpus_id and c.doc_id = v.doc_id
         and c.version = v.version) as indexed, count(distinct r.receipt_id)::int as receipts
       from document_version v join ingest i using (tenant_id, corpus_id, doc_id, version)
       left join receipt r on r.tenant_id = v.tenant_id and r.receipt_id = i.completed_id
       group by v.tenant_id, v.corpus_id, v.doc_id, v.version`,
    );
    expect(rows.filter(({ indexed, receipts }) => receipts !== (indexed ? 1 : 0))).toEqual([]);
    expect(rows.some(({ indexed }) => indexed)).toBe(true);
  });

  it('chain and log verify', { timeout: 60_000 }, async () => {
    await acme.api.stop('SIGTERM');
    const reader = await startApi({ database: acme.database, env: { SVC_DATA_DIR: acme.dataDir, SVC_JOBS: '0' } });
    const audit = reader.app.get(EvidenceAudit);
    const [chain, log] = [await audit.verifyChain(), await audit.verifyLog()];
    await reader.close();
    expect([chain.ok, log.ok, chain.faults, log.faults]).toEqual([true, true, [], []]);
    expect(chain.examined).toBeGreaterThanOrEqual(INGESTS);
  });
});
