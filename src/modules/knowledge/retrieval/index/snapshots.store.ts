import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ShardRow } from './index.store.js';

/** A segment's address: its owner and its id. */
export interface SegmentAddress {
  tenantId: string;
  segmentId: string;
}

/** A row of postings: its segment, and its name. */
export interface RowAddress extends SegmentAddress {
  row: string;
}

/** The index's rows as a search sees them: one statement a call, which sets the reader's tenant itself. */
@Injectable()
export class SnapshotsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Every shard the reader may search; of a shard that is known, only what changed since. */
  readState(reader: string, known: { shardId: string; generation: number }[]): Promise<ShardRow[]> {
    return this.tenancy.read<ShardRow>('select * from svc_index_state($1, $2::uuid[], $3::bigint[])', [
      reader,
      known.map(({ shardId }) => shardId),
      known.map(({ generation }) => generation),
    ]);
  }

  findHeaders(
    reader: string,
    wanted: SegmentAddress[],
  ): Promise<{ segment_id: string; header: Buffer; digest: Buffer }[]> {
    return this.tenancy.read('select * from svc_index_headers($1, $2::text[], $3::uuid[])', [
      reader,
      wanted.map(({ tenantId }) => tenantId),
      wanted.map(({ segmentId }) => segmentId),
    ]);
  }

  /** No row for a segment that is gone, null postings for a row that is gone. */
  findPostings(
    reader: string,
    wanted: RowAddress[],
  ): Promise<{ segment_id: string; term: string; postings: Buffer | null }[]> {
    return this.tenancy.read('select * from svc_index_postings($1, $2::text[], $3::uuid[], $4::text[])', [
      reader,
      wanted.map(({ tenantId }) => tenantId),
      wanted.map(({ segmentId }) => segmentId),
      wanted.map(({ row }) => row),
    ]);
  }
}
