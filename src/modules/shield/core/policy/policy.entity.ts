import { Column, Entity } from 'typeorm';
import { TenantRow } from '../../../../common/tenancy/tenant-row.js';

/** The longest spend window: what was spent is kept for so long. */
export const SPEND_WINDOW_SECONDS = 30 * 86_400;

/** A tenant's policy; without a row its version is 1 and nothing is asked for. */
@Entity('shield_policy')
export class PolicyRow extends TenantRow {
  @Column('integer')
  version!: number;

  @Column('boolean', { default: false })
  requireServerId!: boolean;

  @Column('boolean', { default: false })
  requireToolDigest!: boolean;

  @Column('boolean', { default: false })
  requireRegistered!: boolean;

  @Column('boolean', { default: false })
  requireUiIntegrity!: boolean;

  /** Null together: there is no window. */
  @Column('integer', { nullable: true })
  spendWindowCredits!: number | null;

  @Column('integer', { nullable: true })
  spendWindowSeconds!: number | null;

  /** Who raised the version last, and when. */
  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
