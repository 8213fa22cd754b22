import type { Peer, PeerReply } from './peers.dto.js';
import type { SyncPeerRow } from './sync-peer.entity.js';

export const PEER_SCHEMA = 'svc.peer/1';

export const peerOf = (row: SyncPeerRow): Peer => ({
  peer_id: row.peerId,
  tenant_id: row.tenantId,
  url: row.url,
  public_key: row.publicKey.toString('base64url'),
  keyid: row.kid,
  scopes: row.scopes,
  entity_prefixes: row.entityPrefixes,
  collections: row.collections,
  direction: row.direction,
  status: row.revokedAt === null ? 'active' : 'revoked',
  last_cosigned_head: row.lastCosignedHead,
  created_at: row.createdAt.toISOString(),
  created_by: row.createdBy,
  receipt_id: row.receiptId,
  revoked_at: row.revokedAt?.toISOString() ?? null,
  revoked_by: row.revokedBy,
  revoke_receipt_id: row.revokeReceipt,
});

export const peerReply = (row: SyncPeerRow): PeerReply => ({ peer: peerOf(row), schema: PEER_SCHEMA });
