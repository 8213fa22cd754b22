import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { Exchanged } from './exchange.types.js';

/**
 * An exchange moved something. Of what was not taken as it came only the number: ids and digests of records would stay
 * in the receipt beyond an erasure.
 */
export const syncCompleted = (exchanged: Omit<Exchanged, 'receipt_id' | 'ended_at'>): AuditEntry => ({
  kind: 'sync.completed',
  subject: `peer:${exchanged.peer_id}`,
  facts: {
    peerId: exchanged.peer_id,
    direction: exchanged.direction,
    state: exchanged.state,
    log: exchanged.log,
    counts: exchanged.counts,
    unapplied: exchanged.unapplied_count,
    roots: exchanged.collections.map(({ collection, source_root, target_root }) => ({
      collection,
      source: source_root,
      target: target_root,
    })),
  },
  stream: 'sync',
});
