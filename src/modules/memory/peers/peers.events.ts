import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { SyncPeerRow } from './sync-peer.entity.js';

/** The receipts of peers have a chain of their own. */
const PEERS_STREAM = 'sync-peers';

type Named = Pick<SyncPeerRow, 'peerId' | 'kid' | 'url' | 'scopes' | 'entityPrefixes' | 'collections' | 'direction'>;

const peerChange = (what: 'added' | 'revoked', peer: Named): AuditEntry => ({
  kind: `sync.peer_${what}`,
  subject: `peer:${peer.peerId}`,
  facts: {
    peerId: peer.peerId,
    keyid: peer.kid,
    url: peer.url,
    scopes: peer.scopes,
    entityPrefixes: peer.entityPrefixes,
    collections: peer.collections,
    direction: peer.direction,
  },
  stream: PEERS_STREAM,
});

export const peerAdded = (peer: Named): AuditEntry => peerChange('added', peer);
export const peerRevoked = (peer: Named): AuditEntry => peerChange('revoked', peer);
