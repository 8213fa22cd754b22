import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** When requests bore a passport, registered or not; half a minute exactly. */
@Entity('passport_presence')
export class PassportPresenceRow extends TenantRow {
  @PrimaryColumn('text', { collation: 'C' })
  passportId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  firstSeenAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt!: Date;
}
