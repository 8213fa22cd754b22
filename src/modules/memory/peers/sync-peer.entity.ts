import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { Direction, PeerScope } from './peers.types.js';

/** Another daemon that the tenant's memory is synchronised with. */
@Entity('sync_peer')
export class SyncPeerRow extends TenantRow {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  peerId!: string;

  @Column('text', { nullable: true })
  url!: string | null;

  /** RFC 7638 thumbprint of its key. */
  @Column({ type: 'text', collation: 'C' })
  kid!: string;

  @Column('bytea')
  publicKey!: Buffer;

  @Column('text', { array: true })
  scopes!: PeerScope[];

  @Column('text', { array: true })
  entityPrefixes!: string[];

  /** Null: all. */
  @Column('text', { array: true, nullable: true })
  collections!: string[] | null;

  @Column('text')
  direction!: Direction;

  /** The last checkpoint of its log that this daemon found to extend the one before. */
  @Column('text', { nullable: true })
  lastCosignedHead!: string | null;

  @Column('uuid')
  receiptId!: string;

  /** The principal. */
  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('text', { nullable: true })
  revokedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @Column('uuid', { nullable: true })
  revokeReceipt!: string | null;
}
