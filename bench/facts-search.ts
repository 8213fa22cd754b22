import { setTimeout as sleep } from 'node:timers/promises';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { runChild } from './child.js';
import { withDatabase, type BenchDatabase } from './database.js';
import type { FactsPlan } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import type { TextSource } from './passages.js';
import { loadRow, type Measured } from './speed-rows.js';
import { figure, say } from './table.js';

/** Words of a fact's value, and of a query: what agents keep is a sentence or two, and they ask in one. */
const WORDS_A_VALUE = 30;
const WORDS_A_QUERY = 6;
const ENTITIES = 20_000;
const FACTS_A_STATEMENT = 1000;
/** The sealing leaves a tail shorter than this to be read at every search. */
const LEFT_UNSEALED = 512;
const MAX_SEALING_MS = 600_000;
/** When nothing has been sealed or merged for so long, nothing will be. */
const QUIET_MS = 15_000;
const TENANT = 'searched';

export interface FactSearchBench {
  source: TextSource;
  queries: readonly string[];
  /** How long each measurement lasts. */
  seconds: number;
  clients: readonly number[];
  rows: Measured[];
}

/**
 * Ranked search by GET /v1/facts among so many facts, over all of them and under an entity prefix, at rest and while
 * facts are stored.
 */
export async function benchFactSearch(bench: FactSearchBench, facts: number): Promise<void> {
  await withTemporaryServer({ environment: { SVCD_RATE_LIMIT_RPS: '0' } }, (server) =>
    withDatabase(server, async (database) => {
      say(`Storing ${figure(facts)} facts to search`);
      await fill(bench.source, database, facts);
      const urls = bench.queries.map((query) => {
        const words = encodeURIComponent(query.split(' ').slice(0, WORDS_A_QUERY).join(' '));
        return `${server.daemonUrl}/v1/facts?top_k=10&query=${words}`;
      });
      await sealed(database, urls[0]!);
      const alive = [`${server.daemonUrl}/healthz`];
      await measure(bench, { what: 'GET /healthz, for comparison', urls: alive, facts, clients: 1 });
      for (const clients of bench.clients) await measure(bench, { what: 'fact search', urls, facts, clients });
      const narrowed = urls.map((url, i) => `${url}&entity_prefix=person:${i % 100}`);
      await measure(bench, { what: 'fact search under an entity prefix', urls: narrowed, facts, clients: 1 });
      const writing = drive(bench, 1, {
        kind: 'put',
        url: `${server.daemonUrl}/v1/facts`,
        scopes: 'facts:write',
        tenantId: TENANT,
        run: 'concurrent',
      });
      await measure(bench, { what: 'fact search, one concurrent writer', urls, facts, clients: 1 });
      await writing;
    }),
  );
}

interface Measurement {
  what: string;
  urls: string[];
  facts: number;
  clients: number;
}

async function measure(bench: FactSearchBench, { what, urls, facts, clients }: Measurement): Promise<void> {
  say(`${what}, ${clients} clients`);
  const result = await drive(bench, clients, { kind: 'get', urls, scopes: 'query:read', tenantId: TENANT });
  bench.rows.push(loadRow(figure(facts), what, clients, result));
}

type Work = FactsPlan extends infer Plan
  ? Plan extends FactsPlan
    ? Omit<Plan, 'clients' | 'warmUpRequests' | 'seconds' | 'maxRequests'>
    : never
  : never;

const drive = ({ seconds }: FactSearchBench, clients: number, work: Work): Promise<LoadResult> =>
  runChild<FactsPlan, LoadResult>('facts-load', {
    clients,
    warmUpRequests: 200,
    seconds,
    maxRequests: 10_000_000,
    ...work,
  });

async function fill(source: TextSource, database: BenchDatabase, facts: number): Promise<void> {
  for (let from = 0; from < facts; from += FACTS_A_STATEMENT) {
    const round = Array.from({ length: Math.min(FACTS_A_STATEMENT, facts - from) }, (_, at) =>
      draftOf(source, from + at),
    );
    await database.query('select count(*) from svc_store_facts($1, $2)', [TENANT, JSON.stringify([round])]);
  }
}

function draftOf(source: TextSource, number: number) {
  const { title, content } = source.passage(number);
  return {
    fact_id: crypto.randomUUID(),
    owner: '',
    visibility: 0,
    entity: `person:${number % ENTITIES}`,
    key: `${title.split(' ').slice(0, 2).join('_')}_${number}`,
    value: content.split(' ').slice(0, WORDS_A_VALUE).join(' '),
    actor: 'bench',
    confidence: 1 - (number % 7) / 10,
    horizon_class: ['durable', 'session', 'ephemeral'][number % 3],
    tokens: 40,
  };
}

/**
 * Waits until the segments reach to the end and are merged; a search notifies the daemon that there is something to
 * seal.
 */
async function sealed(database: BenchDatabase, url: string): Promise<void> {
  say('Waiting for the facts to be sealed');
  const headers = { 'x-svc-scopes': 'query:read', 'x-svc-tenant-id': TENANT };
  let before = '';
  let quietSince = Date.now();
  for (const until = Date.now() + MAX_SEALING_MS; Date.now() < until; await sleep(500)) {
    await fetch(url, { headers });
    const [row] = await database.query<{ left: number; generation: string | null }>(
      `select (select i.generation from fact_index i where i.tenant_id = $1) as generation, count(*)::int as left from fact
       where tenant_id = $1 and seq > coalesce((select i.sealed_seq from fact_index i where i.tenant_id = $1), 0)`,
      [TENANT],
    );
    const { left, generation } = row!;
    if (left >= LEFT_UNSEALED || generation !== before) quietSince = Date.now();
    else if (Date.now() - quietSince > QUIET_MS) return;
    before = generation ?? '';
  }
  throw new Error('the facts were not sealed in time');
}
