import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { RequestAction, RequestStatus } from './requests.types.js';

@Entity('feedback_request_change')
export class FeedbackRequestChangeRow extends TenantRow {
  @PrimaryColumn('uuid')
  requestId!: string;

  /** From 1. */
  @PrimaryColumn('integer')
  seq!: number;

  @Column('text')
  action!: 'submit' | 'answer' | RequestAction;

  /** Null of the first. */
  @Column('text', { nullable: true })
  fromStatus!: RequestStatus | null;

  @Column('text')
  toStatus!: RequestStatus;

  @Column('text')
  principal!: string;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;
}
