import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { runChild } from './child.js';
import { withBareClaims } from './claim-limit.js';
import { withDatabase } from './database.js';
import type { FactsPlan } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import { quantile, toMicroseconds } from './measures.js';
import { say } from './table.js';
import { callDaemon, makeBoard, TENANT } from './work-board.js';

const WORKERS = 8;
const WARM_UP = 200;
const PAGE = 50;

export type BoardFigures = Record<string, LoadResult>;

interface Claimed {
  work: { work_id: string } | null;
  lease: { fence: number };
}

/** What a worker does: one claim, which is timed, and its release, which is not. */
interface Worker {
  claim(): Promise<() => Promise<unknown>>;
}

/** Claims among many items that are ready, and pages of the board. */
export async function benchBoard({ items, seconds }: { items: number; seconds: number }): Promise<BoardFigures> {
  return withTemporaryServer({ environment: { SVCD_RATE_LIMIT_RPS: '0' } }, async (server) => {
    say(`Making ${items} work items`);
    await makeBoard(server, items);
    const figures: BoardFigures = {};
    for (const workers of [1, WORKERS]) {
      say(`claim-next, ${workers} workers`);
      figures[`claim-next, ${workers} workers`] = await claimFor(daemonWorkers(server, workers), seconds);
      figures[`limit: bare claim, ${workers} workers`] = await limitOf({ items, workers, seconds }, server);
    }
    const page = `${server.daemonUrl}/v1/work?limit=${PAGE}`;
    const pages = { 'a page of the board': page, 'a page of what is ready': `${page}&state=ready` };
    for (const [what, url] of Object.entries(pages)) {
      for (const clients of [1, WORKERS]) {
        say(`${what}, ${clients} clients`);
        const loop = { clients, warmUpRequests: WARM_UP, seconds, maxRequests: 1_000_000 };
        const plan: FactsPlan = { ...loop, kind: 'get', urls: [url], scopes: 'admin:read', tenantId: TENANT };
        figures[`${what}, ${clients} clients`] = await runChild<FactsPlan, LoadResult>('facts-load', plan);
      }
    }
    return figures;
  });
}

const daemonWorkers = (server: TemporaryServer, workers: number): Worker[] =>
  Array.from({ length: workers }, (_, number) => ({
    claim: async () => {
      const by_passport = `worker-${number}`;
      const { work, lease } = await callDaemon<Claimed>(server, 'POST', '/v1/work/claim-next', { by_passport });
      if (!work) throw new Error('claim-next found nothing to do');
      const release = { by_passport, fence: lease.fence };
      return () => callDaemon(server, 'POST', `/v1/work/${work.work_id}/release`, release);
    },
  }));

/** The same by statements alone, on the same PostgreSQL. */
const limitOf = (
  { items, workers, seconds }: { items: number; workers: number; seconds: number },
  server: TemporaryServer,
): Promise<LoadResult> =>
  withDatabase(server, (database) =>
    withBareClaims(database, { items, workers }, (all) =>
      claimFor(
        all.map((claims, number) => ({
          claim: async () => {
            const id = await claims.claim(`worker-${number}`);
            return () => claims.release(id);
          },
        })),
        seconds,
      ),
    ),
  );

/** Each worker claims, and releases again in time that does not count, so that there is always as much to take. */
async function claimFor(workers: readonly Worker[], seconds: number): Promise<LoadResult> {
  const latencies: number[] = [];
  let claims = 0;
  let startedAt = performance.now();
  let until = Infinity;
  const work = async ({ claim }: Worker): Promise<void> => {
    while (performance.now() < until) {
      const sentAt = performance.now();
      const release = await claim();
      const took = performance.now() - sentAt;
      claims += 1;
      if (claims > WARM_UP) latencies.push(took);
      else if (claims === WARM_UP) {
        startedAt = performance.now();
        until = startedAt + seconds * 1000;
      }
      await release();
    }
  };
  await Promise.all(workers.map(work));
  const sorted = Float64Array.from(latencies).sort();
  const perSecond = (sorted.length * 1000) / (performance.now() - startedAt);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => quantile(sorted, q)) as [number, number, number];
  return { count: sorted.length, failed: 0, perSecond, p50, p95, p99, samples: latencies.map(toMicroseconds) };
}
