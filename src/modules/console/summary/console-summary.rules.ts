import { HALF_LIFE_DAYS, type HorizonClass } from '../../memory/facts/facts.types.js';
import type { WaitingKind } from './console-summary.types.js';

/** Where a thing that waits is decided on, and by which server. */
export interface DecidedBy {
  server: 'daemon' | 'api';
  approve: string;
  reject: string;
}

/** The routes that decide, with the id in its place. */
export function deciderOf(kind: WaitingKind, id: string): DecidedBy {
  switch (kind) {
    case 'candidate':
      return pair('daemon', `/v1/memory/candidates/${id}`, 'promote');
    case 'gate':
      return pair('daemon', `/v1/work/gate/${id}`, 'approve');
    case 'mint_request':
      return pair('daemon', `/v1/passport/mint-requests/${id}`, 'approve');
    case 'approval':
      return same(`/v1/shield/approvals/${id}/resolve`);
    case 'access_request':
      return same(`/v1/org/access-requests/${id}/status`);
  }
}

const pair = (server: DecidedBy['server'], path: string, approve: string): DecidedBy => ({
  server,
  approve: `POST ${path}/${approve}`,
  reject: `POST ${path}/reject`,
});

/** One route of the tenant API takes either decision. */
const same = (path: string): DecidedBy => ({ server: 'api', approve: `POST ${path}`, reject: `POST ${path}` });

const DAY_MS = 86_400_000;

/** What is left of a fact's confidence at a time (D36). */
export function weightOf(
  { confidence, horizon_class, stored_at }: { confidence: number; horizon_class: HorizonClass; stored_at: string },
  nowMs: number,
): number {
  const days = Math.max(0, nowMs - Date.parse(stored_at)) / DAY_MS;
  const left = confidence * 2 ** (-days / HALF_LIFE_DAYS[horizon_class]);
  return Math.round(left * 1e6) / 1e6;
}
