import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { uuid } from '../../../../common/ids/uuid.js';
import { type FactRecordRow, MAX_RECORDS, refOf, toIndex } from './fact-index.store.js';
import type { FactToIndex, PackedSegment } from './fact-segment.js';
import type { SegmentRef } from './tenant-index.js';

/** Tenants with records to flush that are returned at once. */
const MAX_TENANTS = 1000;

/** What flush and merge read and write, inside the unit of work of the tenant. */
@Injectable()
export class FactSegmentFlushStore {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
  ) {}

  /** Tenants with at least so many records beyond their segments. */
  async findBehind(least: number): Promise<string[]> {
    const rows = await this.crossTenant.run('fact index', (query) =>
      query<{ tenant_id: string }>(
        `with recursive tenant(tenant_id) as (
           (select h.tenant_id from fact_head h order by h.tenant_id limit 1)
           union all
           select (select h.tenant_id from fact_head h where h.tenant_id > t.tenant_id order by h.tenant_id limit 1)
           from tenant t where t.tenant_id is not null)
         select t.tenant_id from tenant t left join fact_index i using (tenant_id)
         where t.tenant_id is not null and exists (
           select from fact f where f.tenant_id = t.tenant_id and f.seq > coalesce(i.sealed_seq, 0) offset $1)
         limit $2`,
        [least - 1, MAX_TENANTS],
      ),
    );
    return rows.map(({ tenant_id: tenantId }) => tenantId);
  }

  /** True when no other process works on the tenant's index now; held until the unit of work ends, or its process. */
  async tryLock(): Promise<boolean> {
    const [row] = await this.tenancy.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('svc fact index ' || $1, 0)) as locked`,
      [this.tenancy.tenant],
    );
    return row?.locked === true;
  }

  async readLine(): Promise<{ flushedSeq: number; lastSeq: number }> {
    const [row] = await this.tenancy.query<{ flushed: string; last: string }>(
      `select coalesce((select i.sealed_seq from fact_index i where i.tenant_id = $1), 0) as flushed,
         coalesce((select max(f.seq) from fact f where f.tenant_id = $1), 0) as last`,
      [this.tenancy.tenant],
    );
    return { flushedSeq: Number(row!.flushed), lastSeq: Number(row!.last) };
  }

  /** The transactions that write facts of the tenant at this moment. */
  async findWriters(): Promise<string[]> {
    const rows = await this.tenancy.query<{ writer: string }>('select * from svc_row_writers($1, $2)', [
      this.tenancy.tenant,
      'facts',
    ]);
    return rows.map(({ writer }) => writer);
  }

  /** The first records after one seq and up to another, in their order. */
  async findRecords(after: number, upTo: number): Promise<FactToIndex[]> {
    const rows = await this.tenancy.query<FactRecordRow>(
      `select * from svc_facts_to_index($1, array(
         select f.seq from fact f where f.tenant_id = $1 and f.seq > $2 and f.seq <= $3 order by f.seq limit $4))`,
      [this.tenancy.tenant, after, upTo, MAX_RECORDS],
    );
    return rows.map(toIndex);
  }

  /** False when the index has been moved from there by somebody else. */
  async move(fromSeq: number, toSeq: number): Promise<boolean> {
    const [row] = await this.tenancy.query<{ moved: boolean }>('select svc_move_fact_index($1, $2, $3) as moved', [
      this.tenancy.tenant,
      fromSeq,
      toSeq,
    ]);
    return row?.moved === true;
  }

  async findRefs(): Promise<SegmentRef[]> {
    const rows = await this.tenancy.query<{
      segment_id: string;
      visibility: SegmentRef['visibility'];
      history: boolean;
      fact_count: number;
      retire_count: number;
    }>('select segment_id, visibility, history, fact_count, retire_count from fact_segment where tenant_id = $1', [
      this.tenancy.tenant,
    ]);
    return rows.map((row) => refOf([row.segment_id, row.visibility, row.history, row.fact_count, row.retire_count]));
  }

  /** Whole segments; one that is gone is missing. */
  async findPacked(segmentIds: readonly string[]): Promise<PackedSegment[]> {
    return this.tenancy.query<PackedSegment>(
      `select visibility, history as "isHistory", fact_count as "factCount", retire_count as "retireCount", header, header_digest as "headerDigest",
         columns, columns_digest as "columnsDigest", postings
       from fact_segment where tenant_id = $1 and segment_id = any ($2::uuid[])`,
      [this.tenancy.tenant, segmentIds],
    );
  }

  async record(segments: readonly PackedSegment[]): Promise<void> {
    for (const one of segments) {
      await this.tenancy.query(
        `insert into fact_segment (tenant_id, segment_id, visibility, history, fact_count, retire_count, header, header_digest, columns, columns_digest,
           postings) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        [
          this.tenancy.tenant,
          uuid(),
          one.visibility,
          one.isHistory,
          one.factCount,
          one.retireCount,
          one.header,
          one.headerDigest,
          one.columns,
          one.columnsDigest,
          one.postings,
        ],
      );
    }
  }

  /** Removes segments, all of them unless some are named. */
  async remove(segmentIds?: readonly string[]): Promise<void> {
    await this.tenancy.query(
      'delete from fact_segment where tenant_id = $1 and ($2::uuid[] is null or segment_id = any ($2::uuid[]))',
      [this.tenancy.tenant, segmentIds ?? null],
    );
  }
}
