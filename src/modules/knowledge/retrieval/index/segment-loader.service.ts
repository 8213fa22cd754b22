import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import type { SegmentView } from '../../../../search/collection.js';
import type { PostingList } from '../../../../search/postings.js';
import { rowsOf, Segment, SegmentCorrupted, type SegmentData } from '../../../../search/segment.js';
import { IndexCorrupted } from '../retrieval.problems.js';
import type { SegmentRef, ShardSnapshot } from './index.types.js';
import { LoadedSegment, SegmentCache } from './segment-cache.js';
import { type FoundRows, keyOfRow, type RowAddress, type SegmentRow, SnapshotsStore } from './snapshots.store.js';
import { WrittenSegments } from './written-segments.js';

/**
 * Segments of at most so many chunks come with all their postings: most of their rows are read by any query, and the
 * round trip costs more than the others.
 */
const WHOLE_UP_TO = 256;

/** A segment of the snapshot is gone: a merge replaced it. Take a new snapshot. */
export class SnapshotOutdated extends Error {}

/** A segment as a search reads it, and whose it is. */
export interface OpenSegment extends SegmentView {
  shard: ShardSnapshot;
}

interface ShardSegment {
  readonly shard: ShardSnapshot;
  readonly ref: SegmentRef;
}

interface Wanted extends RowAddress {
  term: string;
  loaded: LoadedSegment;
  into: Map<string, PostingList>;
}

/**
 * Brings segments and posting lists into memory, each checked against its digest before anything is answered from it.
 */
@Injectable()
export class SegmentLoader {
  private readonly underway = new Map<string, Promise<LoadedSegment>>();
  private readonly corruptions;

  constructor(
    private readonly store: SnapshotsStore,
    private readonly cache: SegmentCache,
    private readonly written: WrittenSegments,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.corruptions = metrics.counter(
      'svc_index_corruptions_total',
      'Index rows that were not what had been written; queries that met one failed.',
    );
  }

  /**
   * The segments of the shards with the postings of the query's terms, by each shard's language.
   * @throws SnapshotOutdated when a segment is gone
   * @throws IndexCorrupted when a row is not what was written
   */
  async open(
    reader: string,
    shards: readonly ShardSnapshot[],
    termsFor: (shard: ShardSnapshot) => readonly string[],
  ): Promise<OpenSegment[]> {
    const refs = shards.flatMap((shard) => shard.segments.map((ref) => ({ shard, ref })));
    const segments = await this.findSegments(reader, refs);
    const wanted: Wanted[] = [];
    let hits = 0;
    const views = refs.map(({ shard, ref }): OpenSegment => {
      const loaded = segments.get(ref.segmentId)!;
      const postings = new Map<string, PostingList>();
      for (const term of termsFor(shard)) {
        const list = loaded.findPostings(term);
        const row = list ? undefined : loaded.segment.rowNameOf(term);
        if (list) postings.set(term, list);
        else if (row !== undefined)
          wanted.push({ tenantId: shard.tenantId, segmentId: ref.segmentId, row, term, loaded, into: postings });
      }
      hits += postings.size;
      return { shard, segment: loaded.segment, tombstones: loaded.tombstones(ref, shard.tombstones), postings };
    });
    const chunks = refs.reduce((sum, { ref }) => sum + ref.chunkCount, 0);
    const absent = wanted.filter(({ loaded }) => !loaded.rows);
    const rows: FoundRows = absent.length > 0 ? await this.store.findPostings(reader, absent) : new Map();
    if (wanted.length > 0) this.openPostings(wanted, rows, chunks);
    this.cache.count(hits + wanted.length - absent.length, absent.length);
    return views;
  }

  /** Every segment, from memory or loaded. The result holds them all, because the cache may be too small for that. */
  private async findSegments(reader: string, refs: readonly ShardSegment[]): Promise<Map<string, LoadedSegment>> {
    const found = new Map<string, LoadedSegment>();
    for (const { ref } of refs) {
      const loaded = this.cache.find(ref.segmentId) ?? this.openWritten(ref.segmentId);
      if (loaded) found.set(ref.segmentId, loaded);
    }
    const absent = refs.filter(({ ref }) => !found.has(ref.segmentId));
    const unasked = absent.filter(({ ref }) => !this.underway.has(ref.segmentId));
    if (unasked.length > 0) this.load(reader, unasked);
    await Promise.all(
      absent.map(async ({ ref: { segmentId } }) => found.set(segmentId, await this.underway.get(segmentId)!)),
    );
    return found;
  }

  private openWritten(segmentId: string): LoadedSegment | undefined {
    const written = this.written.find(segmentId);
    if (!written) return undefined;
    return this.keep(segmentId, written, rowsOf(written));
  }

  /** One statement for all; queries that need the same segment meanwhile wait for it. */
  private load(reader: string, refs: readonly ShardSegment[]): void {
    const addresses = refs.map(({ shard, ref }) => ({ tenantId: shard.tenantId, segmentId: ref.segmentId }));
    const rows = this.store
      .findSegments(reader, addresses, WHOLE_UP_TO)
      .then((found) => new Map(found.map((row) => [row.segment_id, row])));
    for (const { segmentId } of addresses) {
      const loading = rows.then((found) => {
        const row = found.get(segmentId);
        if (!row) throw new SnapshotOutdated();
        return this.keep(segmentId, row, postingRowsOf(row));
      });
      this.underway.set(segmentId, loading);
      const done = () => void this.underway.delete(segmentId);
      loading.then(done, done);
    }
  }

  private keep(
    segmentId: string,
    { header, digest }: Pick<SegmentData, 'header' | 'digest'>,
    rows: ReadonlyMap<string, Uint8Array> | undefined,
  ): LoadedSegment {
    const loaded = new LoadedSegment(
      this.check(segmentId, () => Segment.open(header, digest)),
      rows,
    );
    this.cache.keep(segmentId, loaded);
    return loaded;
  }

  /**
   * Unpacks lists from the rows of small segments, and from those that were found of others.
   * @param chunks of all segments that are searched together
   */
  private openPostings(wanted: readonly Wanted[], found: FoundRows, chunks: number): void {
    for (const { segmentId, row, term, loaded, into } of wanted) {
      const bytes = loaded.rows ? (loaded.rows.get(row) ?? null) : found.get(keyOfRow({ segmentId, row }));
      if (bytes === undefined) throw new SnapshotOutdated();
      into.set(
        term,
        this.check(segmentId, () => loaded.segment.openPostings(term, bytes ?? undefined)),
      );
    }
    const bySegment = new Map(wanted.map((one) => [one.segmentId, one]));
    for (const { segmentId, loaded, into } of bySegment.values()) {
      const part = loaded.segment.chunkCount / chunks;
      this.cache.keepPostings(segmentId, { segment: loaded, postings: into, part });
    }
  }

  private check<T>(segmentId: string, open: () => T): T {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof SegmentCorrupted)) throw error;
      this.corruptions.inc();
      this.log.error({ segment_id: segmentId, error }, 'an index segment is not what was written');
      throw new IndexCorrupted(
        { segmentId },
        'A part of the search index is not what was written, so nothing is answered from it. The operator must restore it or index the corpus again.',
      );
    }
  }
}

/** Of a small segment, by their names; views of the bytes that were read. */
function postingRowsOf({
  row_names: names,
  row_sizes: sizes,
  postings,
}: SegmentRow): Map<string, Uint8Array> | undefined {
  if (!names || !sizes || !postings) return undefined;
  let end = 0;
  return new Map(names.map((name, place) => [name, postings.subarray(end, (end += sizes[place]!))]));
}
