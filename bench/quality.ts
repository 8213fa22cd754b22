#!/usr/bin/env node
import { resolve } from 'node:path';
import { Command } from 'commander';
import { ApiClient, type ApiAddress } from '../src/common/client/api-client.js';
import { LANES, type Lane, type RetrievalReply } from '../src/common/client/api-replies.js';
import { ingestDocuments } from '../src/common/client/ingest-documents.js';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { loadSettings } from '../src/common/config/settings.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { rankInProcess } from './in-process-ranking.js';
import { inputsOf, readCollection, type Collection, type JudgedQuery } from './judgements.js';
import { documentsOf, mean, ndcg, recall } from './measures.js';
import { share, type Series } from './report.js';
import { figure, say, table } from './table.js';

/** The most passages a retrieval returns (tenant-api.md 8). */
const LIMIT = 50;
/** Requests in flight while the queries run; the figures do not depend on it. */
const AT_ONCE = 4;

interface Quality {
  ndcg10: number;
  recall10: number;
  recall50: number;
  /** Of the light lane alone, ranked in this process: a route returns no more than 50. */
  recall100?: number;
  /** Queries whose order differs from the light lane's. */
  changed: number;
  /** Of each query. */
  samples: Record<'nDCG@10' | 'recall@10' | 'recall@50', number[]>;
}

const seriesOf = (lane: Lane, { samples }: Quality): Series[] =>
  Object.entries(samples).map(([measure, of]) => share(`${lane}: ${measure}`, of));

interface Report {
  folder: string;
  documents: number;
  queries: number;
  lanes: Record<Lane, Quality>;
  /**
   * Queries of which the engine in this process puts the same ten documents first, in the same order, as the light lane
   * over HTTP.
   */
  sameTopTenInProcess: number;
}

/** `npm run bench:quality -- DIR`: how good the ranking is, measured through the HTTP API. */
const program = new Command('bench:quality')
  .description('measure the ranking on a collection with relevance judgements, through the HTTP API')
  .argument(
    '<folder>',
    'holds corpus.jsonl {id,title,text}, queries.jsonl {id,text} and qrels.tsv (query id, document id, grade)',
  )
  .addOption(jsonOption())
  .addHelpText(
    'after',
    '\nMeasures a temporary server, or the one of SVC_BENCH_URL, SVC_BENCH_TENANT_ID and SVC_BENCH_API_KEY.',
  )
  .action(async (folder: string, options: JsonOption) => {
    const on = { postgres: loadSettings().bench.url ? null : ('embedded' as const) };
    const settings = { ...options, folder: resolve(folder) };
    const run = new BenchRun('quality', settings, on);
    const collection = readCollection(resolve(folder));
    say(
      `${folder}: ${collection.documents.length} documents, ${collection.queries.length} queries with a positive grade`,
    );
    const report = await onServer((address) => measure(folder, collection, new ApiClient(address)));
    run.print(
      report,
      LANES.flatMap((lane) => seriesOf(lane, report.lanes[lane])),
      describe,
    );
  });

async function onServer<T>(work: (address: ApiAddress) => Promise<T>): Promise<T> {
  const { url, tenantId, apiKey } = loadSettings().bench;
  if (!url) {
    say('Starting a temporary server');
    return withTemporaryServer({}, work);
  }
  if (!tenantId || !apiKey)
    throw new Error('With SVC_BENCH_URL set, SVC_BENCH_TENANT_ID and SVC_BENCH_API_KEY are needed too');
  return work({ url: url.replace(/\/+$/, ''), tenantId, apiKey });
}

async function measure(folder: string, collection: Collection, client: ApiClient): Promise<Report> {
  const corpusId = `quality-${Date.now().toString(36)}`;
  const documents = inputsOf(corpusId, collection);
  const startedAt = performance.now();
  await ingestDocuments(client, documents, (done) => {
    if (done % 1000 === 0 || done === documents.length) say(`Ingested ${done} of ${documents.length}`);
  });
  say(`Searchable after ${figure((performance.now() - startedAt) / 1000, 1)} s`);
  const rankings = new Map<Lane, string[][]>();
  for (const lane of LANES) {
    rankings.set(lane, await rank(client, corpusId, lane, collection.queries));
    say(`Ran ${collection.queries.length} queries in lane ${lane}`);
  }
  const light = rankings.get('light')!;
  const inProcess = rankInProcess(documents, collection.queries);
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, rate(rankings.get(lane)!, light, collection.queries)]));
  lanes.light!.recall100 = mean(inProcess.map((ranking, i) => recall(ranking, collection.queries[i]!.grades, 100)));
  return {
    folder,
    documents: documents.length,
    queries: collection.queries.length,
    lanes: lanes as Record<Lane, Quality>,
    sameTopTenInProcess: light.filter((ranking, i) => isEqual(ranking.slice(0, 10), inProcess[i]!.slice(0, 10))).length,
  };
}

async function rank(client: ApiClient, corpusId: string, lane: Lane, queries: JudgedQuery[]): Promise<string[][]> {
  const rankings: string[][] = new Array<string[]>(queries.length);
  const waiting = queries.map((query, index) => ({ query: query.text, index }));
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const request = { query: next.query, corpusIds: [corpusId], limit: LIMIT, lane, includeCommons: false };
        rankings[next.index] = documentsOf((await client.post<RetrievalReply>('/v1/retrieve', request)).results);
      }
    }),
  );
  return rankings;
}

function rate(rankings: string[][], light: string[][], queries: JudgedQuery[]): Quality {
  const each = (measureOne: (ranking: string[], grades: JudgedQuery['grades']) => number): number[] =>
    rankings.map((ranking, i) => measureOne(ranking, queries[i]!.grades));
  const samples = {
    'nDCG@10': each((ranking, grades) => ndcg(ranking, grades, 10)),
    'recall@10': each((ranking, grades) => recall(ranking, grades, 10)),
    'recall@50': each((ranking, grades) => recall(ranking, grades, 50)),
  };
  return {
    ndcg10: mean(samples['nDCG@10']),
    recall10: mean(samples['recall@10']),
    recall50: mean(samples['recall@50']),
    samples,
    changed: rankings.filter((ranking, i) => !isEqual(ranking, light[i]!)).length,
  };
}

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

function describe({ folder, documents, queries, lanes, sameTopTenInProcess }: Report): string {
  const rows = LANES.map((lane) => {
    const { ndcg10, recall10, recall50, recall100, changed } = lanes[lane];
    return [lane, figure(ndcg10, 4), figure(recall10, 4), figure(recall50, 4), figure(recall100, 4), figure(changed)];
  });
  return [
    `${folder}: ${documents} documents, ${queries} queries, through POST /v1/retrieve with limit ${LIMIT}`,
    '',
    table(['lane', 'nDCG@10', 'recall@10', 'recall@50', 'recall@100', 'changed'], rows),
    `recall@50: of the ${LIMIT} passages that a retrieval returns at most; they may be of fewer documents.`,
    `recall@100: the light lane's engine in this process, over the same chunks; it agrees with HTTP on the first ten of ${sameTopTenInProcess} queries.`,
    "changed: queries whose order differs from the light lane's.",
    '',
  ].join('\n');
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:quality: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
