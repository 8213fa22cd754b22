import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { SAFE_INTEGER } from '../../../common/database/safe-integer.js';
import { Microseconds } from '../../../common/database/microseconds.js';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';

const CALLER = `nullif(current_setting('svc.tenant_id', true), '')`;

/** Whether the tenant of the open unit of work may find all of a bundle. */
const isEntitledTo = (bundle: string): string =>
  `(${bundle}.tenant_id = ${CALLER} or (select count(*) from entitlement e where e.tenant_id = ${CALLER}
    and e.publisher_tenant_id = ${bundle}.tenant_id and e.corpus_id = any (${bundle}.corpora)) = cardinality(${bundle}.corpora))`;

/** What a tenant sells. Every tenant may read those that are for sale. */
@Entity('bundle')
export class BundleRow extends TenantRow {
  @PrimaryColumn('uuid')
  bundleId!: string;

  @Column('text')
  title!: string;

  @Column('text')
  description!: string;

  @Column('text', { array: true })
  corpora!: string[];

  @Column(SAFE_INTEGER)
  priceCredits!: number;

  @Column('text', { default: 'published' })
  status!: 'published' | 'withdrawn';

  @Column('text')
  publishedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  publishedAt!: Date;

  @Column('text')
  changedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;

  @Column('text', { nullable: true })
  withdrawnReason!: string | null;

  @Microseconds('published_at')
  publishedUs!: number;

  @VirtualColumn('boolean', { query: isEntitledTo, select: false })
  entitled!: boolean;

  /** What a buyer would find now. The function does not see yet what the same statement writes: read it afterwards. */
  @VirtualColumn('integer', {
    query: (bundle) => `svc_count_bundle_documents(${bundle}.tenant_id, ${bundle}.bundle_id)::int`,
    select: false,
  })
  documents!: number;
}
