import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { GroupRole } from '../../../common/config/people-settings.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

/** A user as an identity provider keeps it by SCIM. Its id stays; the seats that it has one after the other do not. */
@Entity('scim_user')
export class ScimUserRow extends TenantRow {
  @PrimaryColumn('uuid')
  userId!: string;

  /** The e-mail address, in lower case. */
  @Column('text')
  userName!: string;

  @Column('text', { nullable: true })
  externalId!: string | null;

  /** What its seat may do where no group gives it a role; of the present seat the seat says it. */
  @Column('text')
  role!: GroupRole;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
