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

/** A segment, and of a small one its rows of postings: their names, their sizes, and the bytes of all. */
export interface SegmentRow {
  segment_id: string;
  header: Buffer;
  digest: Buffer;
  row_names: string[] | null;
  row_sizes: number[] | null;
  postings: Buffer | null;
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

  /** No row for a segment that is gone; the rows of postings with those of at most `wholeUpTo` chunks. */
  findSegments(reader: string, wanted: SegmentAddress[], wholeUpTo: number): Promise<SegmentRow[]> {
    return this.tenancy.read('select * from svc_index_segments($1, $2::text[], $3::uuid[], $4)', [
      reader,
      wanted.map(({ tenantId }) => tenantId),
      wanted.map(({ segmentId }) => segmentId),
      wholeUpTo,
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
