import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ApiClient, type ApiAddress } from '../src/common/client/api-client.js';
import { batchesOf } from '../src/common/client/ingest-documents.js';
import { runChild } from './child.js';
import type { BenchDatabase } from './database.js';
import type { LoadPlan, LoadResult, LoopOptions } from './load.types.js';
import type { TextSource } from './passages.js';
import { requestAs } from './search-load.js';

/** Batch requests in flight, and the connections of the bare insert. */
const AT_ONCE = 2;
const MAX_MS = 60 * 60_000;
const SETTLE_MS = 3 * 60_000;
const BARE_PASSAGES = 20_000;

/** A tenant's share of the passages: `count` of them from number `from` on. */
export interface TenantLoad {
  address: ApiAddress;
  from: number;
  count: number;
}

export interface IngestResult {
  passages: number;
  /** From the first request to the last answer 202. */
  acceptedPerSecond: number;
  /** From the first request until everything is searchable. */
  perSecond: number;
  /** How long background merges of the index went on after that. */
  settleSeconds: number;
}

/**
 * Ingests through POST /v1/ingest/batch. That everything is searchable is seen in the database: asking for each ingest
 * would load the server.
 */
export async function measureIngest(
  loads: readonly TenantLoad[],
  source: TextSource,
  database: BenchDatabase,
): Promise<IngestResult> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const requests = requestsOf(loads, source);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const { client, documents } of requests) await client.post('/v1/ingest/batch', { documents });
    }),
  );
  const passages = loads.reduce((sum, { count }) => sum + count, 0);
  const accepted = seconds();
  await untilSearchable(database);
  const searchable = seconds();
  await untilSettled(database);
  return {
    passages,
    acceptedPerSecond: passages / accepted,
    perSecond: passages / searchable,
    settleSeconds: seconds() - searchable,
  };
}

/** Documents sent by POST /v1/ingest, one a request: what one acknowledgement takes. Each is sent once. */
export function measureSingleIngest(
  { address, from, count }: TenantLoad,
  source: TextSource,
  loop: Pick<LoopOptions, 'clients' | 'seconds'>,
): Promise<LoadResult> {
  const requests = Array.from(documentsOf(address.tenantId, source, from, count), (document) => {
    const { headers, body } = requestAs(address, document);
    return { headers: { ...headers, 'x-idempotency-key': document.docId }, body };
  });
  const url = `${address.url}/v1/ingest`;
  return runChild<LoadPlan, LoadResult>('load-generator', {
    ...{ url, requests, ...loop },
    ...{ warmUpRequests: 0, maxRequests: count },
  });
}

/** One iterator that all senders draw from: text is made as it is needed. */
function* requestsOf(loads: readonly TenantLoad[], source: TextSource) {
  for (const { address, from, count } of loads) {
    const client = new ApiClient(address);
    for (const documents of batchesOf(documentsOf(address.tenantId, source, from, count))) yield { client, documents };
  }
}

function* documentsOf(tenantId: string, source: TextSource, from: number, count: number) {
  for (let index = from; index < from + count; index++) {
    const docId = `passage-${index}`;
    yield { tenantId, corpusId: 'bench', docId, url: `https://passages.example/${index}`, ...source.passage(index) };
  }
}

async function untilSearchable(database: BenchDatabase): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  const unfinished = `select 1 from pgboss.job where name in ('ingest', 'ingest.large') and state < 'completed' limit 1`;
  while ((await database.query(unfinished, [])).length > 0) {
    if (performance.now() > deadline) throw new Error('the passages were not all searchable within an hour');
    await sleep(100);
  }
  const failed = await database.query<{ error: string }>(`select error from ingest where status = 'failed'`, []);
  if (failed[0]) throw new Error(`${failed.length} ingests failed; the first: ${failed[0].error}`);
}

/**
 * Merges make the index faster to search and are part of what it costs; measuring waits for them, at most three
 * minutes.
 */
async function untilSettled(database: BenchDatabase): Promise<void> {
  const deadline = performance.now() + SETTLE_MS;
  const busy = `select 1 from pgboss.job where name = 'index.merge' and state < 'completed' limit 1`;
  while (performance.now() < deadline && (await database.query(busy, [])).length > 0) await sleep(100);
}

/**
 * The limit: the same passages as rows of a table of their own, by plain INSERTs of a batch each, one transaction a
 * batch, primary key and nothing else. At most 20,000 of them. @returns passages a second
 */
export async function measureBareInsert(count: number, source: TextSource, database: BenchDatabase): Promise<number> {
  const clients = Array.from({ length: AT_ONCE }, () => new Client({ connectionString: database.ownerUrl }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    await clients[0]!.query(`create schema bench;
      create table bench.passage (tenant_id text, doc_id text, corpus_id text not null, title text not null, url text not null,
        content text not null, content_hash bytea not null, primary key (tenant_id, doc_id))`);
    const batches = batchesOf(documentsOf('bench', source, 0, Math.min(count, BARE_PASSAGES)));
    const startedAt = performance.now();
    let inserted = 0;
    await Promise.all(
      clients.map(async (client) => {
        for (const batch of batches) inserted += await insert(client, batch);
      }),
    );
    return inserted / ((performance.now() - startedAt) / 1000);
  } finally {
    await clients[0]!.query('drop schema if exists bench cascade');
    await Promise.all(clients.map((client) => client.end()));
  }
}

type Passage = ReturnType<typeof documentsOf> extends Generator<infer P> ? P : never;

async function insert(client: Client, batch: readonly Passage[]): Promise<number> {
  const column = (name: keyof Passage): string[] => batch.map((passage) => passage[name]);
  const hashes = batch.map(({ content }) => createHash('sha256').update(content).digest());
  const { rowCount } = await client.query(
    `insert into bench.passage
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[])`,
    [...(['tenantId', 'docId', 'corpusId', 'title', 'url', 'content'] as const).map(column), hashes],
  );
  return rowCount ?? 0;
}
