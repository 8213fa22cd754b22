import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { PeerRevoked } from '../../../common/problem/peer-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { VerifyingKey } from '../../../evidence/signing-key.js';
import { PeerEnds } from '../sync/peer-ends.service.js';
import { SyncIndexService } from '../sync/sync-index.service.js';
import { COLLECTIONS } from '../sync/sync.types.js';
import { faultOfPrefixes } from './peer-rights.rules.js';
import { PeerAddresses } from './peer-addresses.service.js';
import type { AddPeer, PeerList, PeersQuery } from './peers.dto.js';
import { peerAdded, peerRevoked } from './peers.events.js';
import { PeerNotFound, PeerTaken, PeerWithoutAddress } from './peers.problems.js';
import { type KnownTarget, PEER_SCOPES, type PeerScope } from './peers.types.js';
import { PEER_SCHEMA, peerOf } from './peers.views.js';
import { SyncPeerRow } from './sync-peer.entity.js';

export { listed, reachOf, rightsOf } from './peer-rights.rules.js';

/** The peers of tenants, whoever acts: over HTTP or on the command line. */
@Injectable()
export class PeerRowsService implements OnModuleInit {
  private readonly rows: TenantRepository<SyncPeerRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly addresses: PeerAddresses,
    private readonly index: SyncIndexService,
    private readonly ends: PeerEnds,
  ) {
    this.rows = new TenantRepository(tenancy, SyncPeerRow);
  }

  onModuleInit(): void {
    this.ends.answerBy((by, isRehearsal) => (isRehearsal ? this.activeOf({}) : this.revokeActive(by)));
  }

  /** What a request says of a peer, checked ahead of any unit of work. @throws ValidationFailed */
  async prepare(request: Omit<AddPeer, 'tenant_id'>): Promise<NewPeer> {
    const peer = newPeerOf(request);
    await this.addresses.check(peer.url);
    return peer;
  }

  /** To the open unit of work's tenant. @throws PeerTaken */
  async add(by: Actor, peer: NewPeer): Promise<SyncPeerRow> {
    await this.tenancy.lock('sync peers');
    const before = await this.findFree(peer);
    await this.index.begin();
    const { receiptId } = await this.audit.record(by, peerAdded(peer));
    const added = { ...peer, receiptId, createdBy: by.principal };
    if (!before) return this.rows.insert(added);
    const again = { createdAt: () => 'clock_timestamp()', revokedBy: null, revokedAt: null, revokeReceipt: null };
    return this.rows.updateOne({ peerId: peer.peerId }, { ...added, ...again });
  }

  /** Of the open unit of work's tenant. */
  async list({ status, limit, cursor }: Omit<PeersQuery, 'tenant_id'>): Promise<PeerList> {
    const after = decodeCursor(cursor, ['text']);
    const revokedAt = status === undefined ? undefined : status === 'active' ? IsNull() : Not(IsNull());
    const rows = await this.rows.list({ revokedAt }, { order: { peerId: 'asc' }, after, take: limit + 1 });
    const { page, next_cursor } = takePage(rows, limit, ({ peerId }) => [peerId]);
    return { peers: page.map(peerOf), count: page.length, next_cursor, schema: PEER_SCHEMA };
  }

  /** One of the open unit of work's tenant; once more changes nothing. @throws PeerNotFound */
  async revoke(by: Actor, peerId: string): Promise<SyncPeerRow> {
    const row = await this.read(peerId, 'update');
    if (row.revokedAt !== null) return row;
    const { receiptId } = await this.audit.record(by, peerRevoked(row));
    const end = { revokedBy: by.principal, revokedAt: () => 'clock_timestamp()', revokeReceipt: receiptId };
    return this.rows.updateOne({ peerId }, end);
  }

  /** Those of the open unit of work's tenant that one principal added. @returns how many */
  async revokeAddedBy(by: Actor, principal: string): Promise<number> {
    return (await this.revokeActive(by, { createdBy: principal })).length;
  }

  /** Those of the open unit of work's tenant. @returns their ids */
  private async revokeActive(by: Actor, which: { createdBy?: string } = {}): Promise<string[]> {
    const active = await this.activeOf(which);
    for (const peerId of active) await this.revoke(by, peerId);
    return active;
  }

  private async activeOf(which: { createdBy?: string }): Promise<string[]> {
    const rows = await this.rows.list({ ...which, revokedAt: IsNull() }, { order: { peerId: 'asc' } });
    return rows.map(({ peerId }) => peerId);
  }

  /** Of the open unit of work's tenant. @throws PeerNotFound */
  async read(peerId: string, lock?: 'update'): Promise<SyncPeerRow> {
    const row = await this.rows.find({ peerId }, lock);
    if (!row) throw new PeerNotFound({ peer_id: peerId }, `No peer is called ${peerId}; GET /v1/sync/peers lists them`);
    return row;
  }

  /**
   * Where requests to a peer go. Of the open unit of work's tenant.
   * @throws PeerNotFound, PeerRevoked, PeerWithoutAddress
   */
  async readTarget(peerId: string): Promise<KnownTarget> {
    const { url, revokedAt, tenantId, publicKey } = await this.read(peerId);
    if (revokedAt !== null) throw new PeerRevoked({ peer_id: peerId }, `The peer ${peerId} was revoked here`);
    if (url === null)
      throw new PeerWithoutAddress(
        { peer_id: peerId },
        `The peer ${peerId} was added without url; revoke it and add it with one`,
      );
    return { tenantId, peerId, url, key: new VerifyingKey(Uint8Array.from(publicKey)) };
  }

  /** @returns the row of the peer, where it was revoked @throws PeerTaken */
  private async findFree({ peerId, kid }: Pick<SyncPeerRow, 'peerId' | 'kid'>): Promise<SyncPeerRow | undefined> {
    const other = await this.rows.find({ kid, revokedAt: IsNull() });
    if (other)
      throw new PeerTaken(
        { peer_id: other.peerId, keyid: kid },
        `The key ${kid} is that of the peer ${other.peerId}; revoke that one to add it again`,
      );
    const before = await this.rows.find({ peerId });
    if (before && (before.revokedAt === null || before.kid !== kid))
      throw new PeerTaken(
        { peer_id: peerId, keyid: before.kid },
        `${peerId} is the peer with the key ${before.kid}; a peer with another key takes another name`,
      );
    return before;
  }
}

export type NewPeer = Pick<
  SyncPeerRow,
  'peerId' | 'url' | 'kid' | 'publicKey' | 'scopes' | 'entityPrefixes' | 'collections' | 'direction'
>;

/** @throws ValidationFailed naming the member */
function newPeerOf({ peer_id, url, public_key, direction, ...lists }: Omit<AddPeer, 'tenant_id'>): NewPeer {
  const { scopes, entity_prefixes, collections } = lists;
  const fault = faultOfPrefixes(entity_prefixes);
  if (fault !== undefined) throw invalid('body.entity_prefixes', fault);
  checkNames('scopes', scopes, PEER_SCOPES);
  checkNames('collections', collections ?? [], COLLECTIONS);
  const key = readKey(public_key);
  return {
    ...{ peerId: peer_id, url: url?.replace(/\/+$/, '') ?? null, kid: key.kid, publicKey: Buffer.from(key.bytes) },
    scopes: [...new Set(scopes)] as PeerScope[],
    entityPrefixes: [...new Set(entity_prefixes)],
    ...{ collections: collections ? [...new Set(collections)] : null, direction },
  };
}

function checkNames(member: string, names: readonly string[], known: readonly string[]): void {
  const at = names.findIndex((name) => !known.includes(name));
  if (at >= 0) throw invalid(`body.${member}[${at}]`, `must be one of ${known.join(', ')}`);
}

function readKey(text: string): VerifyingKey {
  try {
    return new VerifyingKey(Buffer.from(text, 'base64url'));
  } catch {
    throw invalid('body.public_key', 'is no Ed25519 key; "svc peer key" prints that of a daemon');
  }
}
