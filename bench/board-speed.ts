import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { runChild } from './child.js';
import type { FactsPlan } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import { quantile } from './measures.js';
import { say } from './table.js';
import { callDaemon, makeBoard, TENANT } from './work-board.js';

const WORKERS = 8;
const WARM_UP = 200;
/** After so many claims a worker gives back what it holds, in the time between its claims. */
const PAGE = 50;

export type BoardFigures = Record<string, Pick<LoadResult, 'count' | 'failed' | 'perSecond' | 'p50' | 'p95' | 'p99'>>;

interface Claimed {
  work: { work_id: string } | null;
  lease: { fence: number };
}

/** Claims among many items that are ready, and pages of the board. */
export async function benchBoard({ items, seconds }: { items: number; seconds: number }): Promise<BoardFigures> {
  return withTemporaryServer({ environment: { SVCD_RATE_LIMIT_RPS: '0' } }, async (server) => {
    say(`Making ${items} work items`);
    await makeBoard(server, items);
    const figures: BoardFigures = {};
    for (const workers of [1, WORKERS]) {
      say(`claim-next, ${workers} workers`);
      figures[`claim-next, ${workers} workers`] = await claimFor(server, workers, seconds);
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

/** Each worker claims, and releases again in time that does not count, so that there is always as much to take. */
async function claimFor(server: TemporaryServer, workers: number, seconds: number): Promise<LoadResult> {
  const latencies: number[] = [];
  let claims = 0;
  let startedAt = performance.now();
  let until = Infinity;
  const work = async (worker: number): Promise<void> => {
    while (performance.now() < until) {
      const by_passport = `worker-${worker}`;
      const sentAt = performance.now();
      const { work: item, lease } = await callDaemon<Claimed>(server, 'POST', '/v1/work/claim-next', { by_passport });
      const took = performance.now() - sentAt;
      if (!item) throw new Error('claim-next found nothing to do');
      claims += 1;
      if (claims > WARM_UP) latencies.push(took);
      else if (claims === WARM_UP) {
        startedAt = performance.now();
        until = startedAt + seconds * 1000;
      }
      const release = { by_passport, fence: lease.fence };
      await callDaemon(server, 'POST', `/v1/work/${item.work_id}/release`, release);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  const sorted = Float64Array.from(latencies).sort();
  const perSecond = (sorted.length * 1000) / (performance.now() - startedAt);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => quantile(sorted, q)) as [number, number, number];
  return { count: sorted.length, failed: 0, perSecond, p50, p95, p99 };
}
