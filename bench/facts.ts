import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { encodeCursor } from '../src/common/fields/cursor.js';
import { runChild } from './child.js';
import { withDatabase, type BenchDatabase } from './database.js';
import type { FactsPlan, FactsWork } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import { loadRow, type Measured } from './speed-rows.js';
import { figure, say } from './table.js';

const WRITERS = 16;
/** Bare inserts and PUTs are measured in turn, so that what else the machine does weighs on both. */
const ROUNDS = 3;
const MIN_LISTED = 10_000;
const FACTS_A_STATEMENT = 2000;
/** Pages from all over the list. */
const PAGES = 500;
const READER = 'query:read';
const WRITER = 'facts:write';

export interface FactsBench {
  /** How long each measurement lasts. */
  seconds: number;
  rows: Measured[];
  remarks: string[];
}

/**
 * Facts in the daemon: stored one by one, compared with bare inserts of the same row, and listed page by page among few
 * and among many.
 */
export async function benchFacts(bench: FactsBench, most: number): Promise<void> {
  await withTemporaryServer({ environment: { SVCD_RATE_LIMIT_RPS: '0' } }, (server) =>
    withDatabase(server, async (database) => {
      await benchStores(bench, server, database);
      const fewest = Math.min(MIN_LISTED, most);
      const few = await benchLists(bench, server, database, fewest);
      if (most <= fewest) return;
      const many = await benchLists(bench, server, database, most);
      bench.remarks.push(...[...few].map(([what, p99]) => remarkOn(what, p99, many.get(what)!)));
    }),
  );
}

const remarkOn = (what: string, few: number, many: number): string =>
  `${what}: p99 at the most facts / p99 at the fewest: ${figure(many / few, 2)}`;

/**
 * The same row inserted by pg alone: at its leanest, and as pg does it unasked into a table with the indexes that facts
 * have.
 */
const BARE = [
  { what: 'bare insert, prepared, one index', table: 'bench.lean', isPrepared: true },
  { what: 'bare insert, the indexes of facts', table: 'bench.indexed', isPrepared: false },
];

async function benchStores(bench: FactsBench, server: TemporaryServer, database: BenchDatabase): Promise<void> {
  say(`Facts stored one by one and bare inserts of the same row in turn, ${WRITERS} clients`);
  await database.asOwner(`create schema bench; create sequence bench.seq; create table bench.indexed (like fact including all);
    create table bench.lean (like fact including defaults including constraints);
    alter table bench.lean add primary key (tenant_id, fact_id)`);
  const url = `${server.daemonUrl}/v1/facts`;
  const ways = new Map<string, (run: string) => FactsWork>([
    ...BARE.map(
      ({ what, ...target }) =>
        [what, (run: string) => ({ kind: 'insert' as const, databaseUrl: database.ownerUrl, run, ...target })] as const,
    ),
    ['PUT /v1/facts', (run) => ({ kind: 'put', url, scopes: WRITER, tenantId: 'stored', run })],
  ]);
  const rounds = new Map<string, LoadResult[]>([...ways.keys()].map((what) => [what, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [what, work] of ways) rounds.get(what)!.push(await drive(bench, WRITERS, work(`${round}`)));
  await database.asOwner('drop schema bench cascade');
  const middle = new Map([...rounds].map(([what, results]) => [what, middleOf(results)]));
  const put = middle.get('PUT /v1/facts')!;
  for (const [what, result] of middle) bench.rows.push(loadRow('-', what, WRITERS, result));
  bench.remarks.push(
    ...BARE.map(({ what }) => `PUT /v1/facts / ${what}: ${figure(put.perSecond / middle.get(what)!.perSecond, 2)}`),
  );
}

/** @returns p99 of each kind of page */
async function benchLists(
  bench: FactsBench,
  server: TemporaryServer,
  database: BenchDatabase,
  facts: number,
): Promise<Map<string, number>> {
  const tenantId = `facts-${facts}`;
  say(`Storing ${figure(facts)} facts`);
  await fill(database, tenantId, facts);
  const base = `${server.daemonUrl}/v1/facts/list?limit=50`;
  const cursors = (await samplePlaces(database, tenantId)).map((cursor) => `cursor=${cursor}`);
  const kinds = new Map([
    ['list page', cursors],
    ['list page, current facts alone', cursors.map((cursor) => `${cursor}&include_superseded=0`)],
    ['list page, with reserved ones', cursors.map((cursor) => `${cursor}&include_reserved=1`)],
    ['first list page', ['']],
  ]);
  const found = new Map<string, number>();
  for (const [what, queries] of kinds) {
    say(`${what} among ${figure(facts)} facts`);
    const urls = queries.map((query) => `${base}&${query}`);
    const result = await drive(bench, 1, { kind: 'get', urls, scopes: READER, tenantId });
    bench.rows.push(loadRow(figure(facts), what, 1, result));
    found.set(what, result.p99);
  }
  return found;
}

const drive = ({ seconds }: FactsBench, clients: number, work: FactsWork): Promise<LoadResult> => {
  const loop = { clients, warmUpRequests: clients * 100, seconds, maxRequests: 10_000_000 };
  return runChild<FactsPlan, LoadResult>('facts-load', { ...loop, ...work });
};

/**
 * Every fifth fact is a new version of an older one, every twentieth is private to somebody else, every fiftieth
 * reserved.
 */
async function fill(database: BenchDatabase, tenantId: string, facts: number): Promise<void> {
  for (let from = 0; from < facts; from += FACTS_A_STATEMENT) {
    const round = Array.from({ length: Math.min(FACTS_A_STATEMENT, facts - from) }, (_, at) => draftOf(from + at));
    await database.query(`select count(*) from svc_store_facts($1, $2)`, [tenantId, JSON.stringify([round])]);
  }
}

function draftOf(number: number) {
  const kind = number % 50 === 7 ? 'reserved' : number % 20 === 3 ? 'private' : 'public';
  const chain = number % 5 === 4 && number >= 2050 ? number - 2050 + (number % 7) * 5 : number;
  return {
    fact_id: crypto.randomUUID(),
    owner: kind === 'public' ? '' : `passport:${number % 13}`,
    visibility: { public: 0, private: 1, reserved: 2 }[kind],
    entity: `${kind === 'reserved' ? '__' : ''}entity:${chain % 50_021}`,
    key: `key-${chain}`,
    value: `Note ${number}: the meeting about the wombat enclosure moved to hall ${number % 97} on floor ${number % 11}.`,
    actor: 'bench',
    confidence: 1,
    horizon_class: 'durable',
    tokens: 20,
  };
}

async function samplePlaces(database: BenchDatabase, tenantId: string): Promise<string[]> {
  const rows = await database.query<{ stored_at: Date; seq: string }>(
    `select stored_at, seq from fact where tenant_id = $1 order by random() limit $2`,
    [tenantId, PAGES],
  );
  return rows.map(({ stored_at, seq }) => encodeCursor([stored_at.getTime(), seq]));
}

/** The round whose rate is the middle one; failures of all of them. */
function middleOf(rounds: LoadResult[]): LoadResult {
  const sorted = [...rounds].sort((a, b) => a.perSecond - b.perSecond);
  return { ...sorted[Math.floor(sorted.length / 2)]!, failed: rounds.reduce((sum, { failed }) => sum + failed, 0) };
}
