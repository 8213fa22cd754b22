import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** Which log a peer of a tenant has. */
@Entity('peer_log_peer')
export class PeerLogPeerRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  peerId!: string;

  @Column('uuid')
  logId!: string;

  /** The principal. */
  @Column('text')
  pinnedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  pinnedAt!: Date;

  /** Since when its log is not in order, where an incident was opened for that. */
  @Column('timestamptz', { nullable: true })
  alarmedSince!: Date | null;

  @Column('uuid', { nullable: true })
  incidentId!: string | null;
}
