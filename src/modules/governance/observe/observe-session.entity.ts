import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A session of which steps are kept. It is the entity `session:<sessionId>` for legal holds. */
@Entity('observe_session')
export class ObserveSessionRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  sessionId!: string;

  /** The principal. */
  @Column('text')
  openedBy!: string;

  /** The step below which what the session does becomes steps by itself, while it is open. */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  autoNode!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  openedAt!: Date;

  /** From then on its steps are kept without what was in them. */
  @Column('timestamptz', { nullable: true })
  archivedAt!: Date | null;
}
