import type { ApiAddress } from '../src/common/client/api-client.js';

const METRIC = /^nodejs_eventloop_lag_max_seconds (\S+)$/m;
/** The timer by which prom-client sees delays fires so often, and counts them from when it fired last. */
const TIMER_MS = 10;

/**
 * The longest that the event loop of an API was kept from other requests since this was asked last, in milliseconds, as
 * its metrics have it. With several processes behind the address it is that of one of them.
 */
export async function longestPause({ url }: ApiAddress): Promise<number> {
  const answer = await fetch(`${url}/metrics`);
  const [, seconds] = METRIC.exec(await answer.text()) ?? [];
  if (seconds === undefined) throw new Error(`${url}/metrics does not say how long the event loop was kept`);
  return Math.max(0, Number(seconds) * 1000 - TIMER_MS);
}
