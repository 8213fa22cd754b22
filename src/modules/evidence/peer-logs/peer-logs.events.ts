import type { Actor, AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** Who acts where a head is looked at. */
export const WATCH: Actor = { principal: 'svc:peer-logs', authType: 'system' };

type PeerLogKind = 'pinned' | 'unpinned' | 'split' | 'rolled_back' | 'restored' | 'cleared';

/** Event and receipt of what happens to the log of a peer, in every tenant that has the peer. */
export const peerLogEntry = (what: PeerLogKind, peerId: string, facts: object): AuditEntry => ({
  kind: `peer_log.${what}`,
  subject: peerId,
  facts: { peerId, ...facts },
  stream: 'peer-logs',
});
