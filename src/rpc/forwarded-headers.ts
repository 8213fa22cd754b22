import type { Peer } from './peer.js';
import type { ServerAnswer } from './server-connection.js';

/** Says that an answer is that of an earlier call. */
export const REPLAYED_HEADER = 'x-idempotency-replayed';

/**
 * How an agent that registered itself stands (tenant-api.md 5, item 9), and whether an answer is that of an earlier
 * call.
 */
const FORWARDED_HEADERS = [
  'x-svc-credits-remaining',
  'x-svc-rate-limit-daily-remaining',
  'x-svc-sponsor-required',
  'x-svc-upgrade-url',
  REPLAYED_HEADER,
];

export function forwardHeaders({ responseHeaders }: Peer, { headers }: ServerAnswer): void {
  if (!responseHeaders) return;
  for (const name of FORWARDED_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') responseHeaders.set(name, value);
  }
}
