import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

@Entity('feedback_vote')
export class FeedbackVoteRow extends TenantRow {
  @PrimaryColumn('uuid')
  requestId!: string;

  @PrimaryColumn('text')
  principal!: string;

  @Column('timestamptz', { default: () => 'now()' })
  votedAt!: Date;

  @Column('timestamptz', { nullable: true })
  withdrawnAt!: Date | null;
}
