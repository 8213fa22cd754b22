import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { VerifyingKey } from '../../../evidence/signing-key.js';
import { rightsOf } from './peer-rights.rules.js';
import type { Direction, PeerRights } from './peers.types.js';

/** Who has a key. */
export interface KnownPeer {
  readonly peerId: string;
  readonly key: VerifyingKey;
  readonly rights: PeerRights;
  readonly direction: Direction;
  readonly isRevoked: boolean;
}

interface FoundPeer {
  peer_id: string;
  kid: string;
  public_key: Buffer;
  scopes: string[];
  entity_prefixes: string[];
  collections: string[] | null;
  direction: Direction;
  revoked_at: Date | null;
}

/** Peers by their keys, ahead of any unit of work. Nothing is cached: a revocation holds for the next request. */
@Injectable()
export class PeersStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns by thumbprint; one that was revoked where there is no other */
  async findByKeys(tenantId: string, kids: readonly string[]): Promise<ReadonlyMap<string, KnownPeer>> {
    const rows = await this.tenancy.call<FoundPeer>('select * from svc_find_peers($1, $2)', [tenantId, kids]);
    return new Map(rows.map((row) => [row.kid, peerOf(row)]));
  }
}

const peerOf = (row: FoundPeer): KnownPeer => ({
  peerId: row.peer_id,
  key: new VerifyingKey(Uint8Array.from(row.public_key)),
  rights: rightsOf(row),
  direction: row.direction,
  isRevoked: row.revoked_at !== null,
});
