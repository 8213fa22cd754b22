import { Injectable } from '@nestjs/common';
import type { SegmentData } from '../../../../search/segment.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ShardKey, ShardSnapshot } from './index.types.js';

/** Rows of one INSERT: bounds the memory and the time of a statement. */
const ROWS_A_STATEMENT = 2_000;

/** The index's rows, as its writers see them: inside the unit of work of the tenant that owns them. */
@Injectable()
export class IndexStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Makes the shard or moves it to its next generation; its row stays locked until the commit. */
  async advance(shard: ShardKey): Promise<{ shardId: string; generation: number }> {
    const [row] = await this.tenancy.query<{ shard_id: string; generation: string }>(
      `insert into index_shard (tenant_id, corpus_id, shareability, language) values ($1, $2, $3, $4)
       on conflict (tenant_id, corpus_id, shareability, language) do update set generation = index_shard.generation + 1
       returning shard_id, generation`,
      [this.tenancy.tenant, shard.corpusId, shard.shareability, shard.language],
    );
    if (!row) throw new Error('a shard was not advanced');
    return { shardId: row.shard_id, generation: Number(row.generation) };
  }

  /** Adds a segment's rows. They are seen by no search before the segment itself is recorded. */
  async recordPostings(segmentId: string, segment: SegmentData): Promise<void> {
    const { rows, offsets, postings } = segment;
    for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
      const end = Math.min(first + ROWS_A_STATEMENT, rows.length);
      const base = offsets[first]!;
      // The packed rows travel as one value and are cut apart in the database: far cheaper than a parameter a row.
      await this.tenancy.query(
        `insert into index_posting (tenant_id, segment_id, term, postings)
         select $1, $2, t.term, substring($3::bytea from t.first + 1 for t.size)
         from unnest($4::text[], $5::int[], $6::int[]) t(term, first, size)`,
        [
          this.tenancy.tenant,
          segmentId,
          postings.subarray(base, offsets[end]),
          rows.slice(first, end),
          Array.from(offsets.subarray(first, end), (offset) => offset - base),
          Array.from({ length: end - first }, (_, i) => offsets[first + i + 1]! - offsets[first + i]!),
        ],
      );
    }
  }

  async recordSegment(shardId: string, segmentId: string, sequence: number, segment: SegmentData): Promise<void> {
    await this.tenancy.query(
      `insert into index_segment (tenant_id, segment_id, shard_id, sequence, chunk_count, header, digest)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [this.tenancy.tenant, segmentId, shardId, sequence, segment.chunkCount, segment.header, segment.digest],
    );
  }

  async recordTombstones(shardId: string, chunkIds: readonly string[], generation: number): Promise<void> {
    await this.tenancy.query(
      `insert into index_tombstone (tenant_id, shard_id, chunk_id, generation)
       select $1, $2, chunk_id, $4 from unnest($3::text[]) c(chunk_id) group by chunk_id
       on conflict (tenant_id, shard_id, chunk_id) do update set generation = excluded.generation`,
      [this.tenancy.tenant, shardId, chunkIds, generation],
    );
  }

  /** What the merge policy needs to know of a shard. */
  async readSizes(shardId: string): Promise<{ segments: { id: string; chunkCount: number }[]; withdrawn: number }> {
    const [row] = await this.tenancy.query<{
      segments: { id: string; chunkCount: number }[] | null;
      withdrawn: number;
    }>(
      `select
         (select jsonb_agg(jsonb_build_object('id', segment_id, 'chunkCount', chunk_count)) from index_segment
          where tenant_id = $1 and shard_id = $2) as segments,
         (select count(*)::int from index_tombstone where tenant_id = $1 and shard_id = $2) as withdrawn`,
      [this.tenancy.tenant, shardId],
    );
    return { segments: row?.segments ?? [], withdrawn: row?.withdrawn ?? 0 };
  }

  /** A shard with its segments and tombstones, in one statement's snapshot. */
  async findShard(shardId: string): Promise<ShardSnapshot | undefined> {
    const rows = await this.tenancy.query<ShardRow>(
      'select * from svc_index_state($1, array[]::uuid[], array[]::bigint[]) where shard_id = $2',
      [this.tenancy.tenant, shardId],
    );
    return rows[0] && shardOf(rows[0]);
  }

  /** A segment as it was written, or nothing when a merge replaced it. */
  async findSegment(segmentId: string, language: SegmentData['language']): Promise<SegmentData | undefined> {
    const [segment] = await this.tenancy.query<{ chunk_count: number; header: Buffer; digest: Buffer }>(
      'select chunk_count, header, digest from index_segment where tenant_id = $1 and segment_id = $2',
      [this.tenancy.tenant, segmentId],
    );
    if (!segment) return undefined;
    const rows = await this.tenancy.query<{ term: string; postings: Buffer }>(
      'select term, postings from index_posting where tenant_id = $1 and segment_id = $2',
      [this.tenancy.tenant, segmentId],
    );
    const offsets = new Uint32Array(rows.length + 1);
    rows.forEach(({ postings }, i) => (offsets[i + 1] = offsets[i]! + postings.length));
    return {
      language,
      chunkCount: segment.chunk_count,
      header: segment.header,
      digest: segment.digest,
      rows: rows.map(({ term }) => term),
      postings: Buffer.concat(rows.map(({ postings }) => postings)),
      offsets,
    };
  }

  /**
   * Takes replaced segments out of the index; false when one of them is gone already. Their rows are swept afterwards.
   */
  async retireSegments(segmentIds: readonly string[]): Promise<boolean> {
    const retired = await this.tenancy.query<object>(
      `with retired as (delete from index_segment where tenant_id = $1 and segment_id = any($2::uuid[]) returning segment_id)
       insert into index_garbage (tenant_id, segment_id) select $1, segment_id from retired returning segment_id`,
      [this.tenancy.tenant, segmentIds],
    );
    return retired.length === segmentIds.length;
  }

  /** Deletes tombstones that are applied in every segment of the shard. */
  async forgetTombstones(shardId: string): Promise<void> {
    await this.tenancy.query(
      `delete from index_tombstone where tenant_id = $1 and shard_id = $2 and generation <= coalesce((
         select min(sequence) from index_segment where tenant_id = $1 and shard_id = $2), generation)`,
      [this.tenancy.tenant, shardId],
    );
  }

  /** Deletes the rows of replaced segments. */
  async sweepGarbage(): Promise<void> {
    await this.tenancy.query(
      `with swept as (delete from index_garbage where tenant_id = $1 returning segment_id)
       delete from index_posting p using swept where p.tenant_id = $1 and p.segment_id = swept.segment_id`,
      [this.tenancy.tenant],
    );
  }
}

/** A row of svc_index_state. */
export interface ShardRow {
  tenant_id: string;
  shard_id: string;
  corpus_id: string;
  shareability: ShardKey['shareability'];
  language: ShardKey['language'];
  generation: string;
  is_known: boolean;
  segments: [string, number, number][] | null;
  tombstones: [string, number][] | null;
}

/**
 * A shard from its row: whole, or what changed since an earlier snapshot of it. Tombstones that every segment holds
 * already are left out; the database deletes those too.
 */
export function shardOf(row: ShardRow, earlier?: ShardSnapshot): ShardSnapshot {
  const segments = (row.segments ?? []).map(([segmentId, sequence, chunkCount]) => ({
    segmentId,
    sequence,
    chunkCount,
  }));
  const applied = segments.reduce((least, { sequence }) => Math.min(least, sequence), Infinity);
  const added = (row.tombstones ?? []).map(([chunkId, generation]) => ({ chunkId, generation }));
  return {
    tenantId: row.tenant_id,
    shardId: row.shard_id,
    corpusId: row.corpus_id,
    shareability: row.shareability,
    language: row.language,
    generation: Number(row.generation),
    segments,
    tombstones: [...added, ...(earlier?.tombstones ?? [])]
      .filter(({ generation }) => generation > applied)
      .sort((a, b) => b.generation - a.generation),
  };
}
