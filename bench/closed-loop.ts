import { quantile, toMicroseconds } from './measures.js';
import type { LoadResult, LoopOptions } from './load.types.js';

const WARM_UP_SECONDS = 30;

/**
 * A closed loop: every client has one request in flight and sends the next when the answer is there. Throughput is what
 * ended in the measured time over that time.
 * @param once does the request of a running number; false when it failed
 */
export async function runClosedLoop(
  { clients, warmUpRequests, seconds, maxRequests }: LoopOptions,
  once: (number: number) => Promise<boolean>,
): Promise<LoadResult> {
  await drive({ clients, most: warmUpRequests, seconds: WARM_UP_SECONDS }, once, () => undefined);
  const latencies: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  await drive({ clients, most: maxRequests, seconds }, once, (isGood, milliseconds) => {
    if (isGood) latencies.push(milliseconds);
    else failed++;
  });
  return summarise(latencies, failed, (performance.now() - startedAt) / 1000);
}

/** Requests begun before the end are waited for, and their time counts. */
async function drive(
  { clients, most, seconds }: { clients: number; most: number; seconds: number },
  once: (number: number) => Promise<boolean>,
  ended: (isGood: boolean, milliseconds: number) => void,
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < most) {
      const startedAt = performance.now();
      if (startedAt >= until) return;
      const isGood = await once(next++);
      ended(isGood, performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function summarise(latencies: number[], failed: number, seconds: number): LoadResult {
  const sorted = Float64Array.from(latencies).sort();
  return {
    count: sorted.length,
    failed,
    perSecond: sorted.length / seconds,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    samples: latencies.map(toMicroseconds),
  };
}
