import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { RequestChangeRecord } from './requests.dto.js';
import type { Category, RequestStatus } from './requests.types.js';

const historyOf = (request: string): string =>
  `select json_agg(json_build_object('action', c.action, 'from', c.from_status, 'to', c.to_status, 'principal', c.principal,
    'reason', c.reason, 'note', c.note, 'at', c.changed_at) order by c.seq)
  from feedback_request_change c where c.tenant_id = ${request}.tenant_id and c.request_id = ${request}.request_id`;

const hasVoteOf = (request: string): string =>
  `exists (select from feedback_vote v where v.tenant_id = ${request}.tenant_id and v.request_id = ${request}.request_id
    and v.principal = :principal and v.withdrawn_at is null)`;

/** Its row is the lock under which its votes and its history are written. */
@Entity('feedback_request')
export class FeedbackRequestRow extends TenantRow {
  @PrimaryColumn('uuid')
  requestId!: string;

  @Column('text')
  title!: string;

  @Column('text')
  body!: string;

  @Column('text')
  category!: Category;

  @Column('text', { nullable: true })
  agentId!: string | null;

  @Column('text', { default: 'open' })
  status!: RequestStatus;

  @Column('integer', { default: 0 })
  votes!: number;

  @Column('text')
  submittedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  submittedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** Whether the query's parameter `principal` has voted for it. */
  @VirtualColumn('boolean', { select: false, query: hasVoteOf })
  voted!: boolean;

  /** Oldest first. */
  @VirtualColumn('json', { select: false, query: historyOf })
  history!: RequestChangeRecord[];
}
