import { Injectable } from '@nestjs/common';
import { GroupedReads } from '../../../../common/tenancy/grouped-reads.js';
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

/** The bytes of rows of postings by {@link keyOfRow}: null for a row that is gone, none where the segment is. */
export type FoundRows = ReadonlyMap<string, Uint8Array | null>;

export const keyOfRow = ({ segmentId, row }: Omit<RowAddress, 'tenantId'>): string => segmentId + row;

/** The index's rows as a search sees them: one statement a call, which sets the reader's tenant itself. */
@Injectable()
export class SnapshotsStore {
  private readonly postings = new GroupedReads<RowAddress, FoundRows>({
    keyOf: keyOfRow,
    read: (reader, wanted) => this.readPostings(reader, wanted),
  });

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

  /** The rows may be those of other searches too. */
  findPostings(reader: string, wanted: readonly RowAddress[]): Promise<FoundRows> {
    return this.postings.find(reader, wanted);
  }

  private async readPostings(reader: string, wanted: readonly RowAddress[]): Promise<FoundRows> {
    const rows = await this.tenancy.read<PostingsRow>(
      'select * from svc_index_postings($1, $2::text[], $3::uuid[], $4::text[])',
      [
        reader,
        wanted.map(({ tenantId }) => tenantId),
        wanted.map(({ segmentId }) => segmentId),
        wanted.map(({ row }) => row),
      ],
    );
    return new Map(
      rows.map(({ segment_id: segmentId, term: row, postings }) => [keyOfRow({ segmentId, row }), postings]),
    );
  }
}

/** No row for a segment that is gone, null postings for a row that is gone. */
interface PostingsRow {
  segment_id: string;
  /** The name of the row. */
  term: string;
  postings: Buffer | null;
}
