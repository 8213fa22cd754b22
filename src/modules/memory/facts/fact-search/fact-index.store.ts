import { Injectable } from '@nestjs/common';
import { utcDay } from '../../../../search/bm25.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { prefixRange } from '../facts.rules.js';
import type { HorizonClass, Visibility } from '../facts.types.js';
import type { RankedSearch } from './fact-search.types.js';
import type { FactToIndex, PackedSegment } from './fact-segment.js';
import type { SegmentRef } from './tenant-index.js';

/** Records read into the index at once. */
export const MAX_RECORDS = 4096;

/** Behind every name there is. */
const LAST_NAME = '\u{10ffff}'.repeat(201);
/** A name with this behind it is the next name after it. */
const MIN_CHARACTER = '\u0001';

/** Where a tenant's index stands, and what is committed beyond what the process knows. */
export interface IndexState {
  generation: number;
  flushedSeq: number;
  /** Absent while the generation is the known one. */
  segments: SegmentRef[] | undefined;
  added: FactToIndex[];
  hasMore: boolean;
}

/** What a search reads of the index, each in one round trip as a tenant. */
@Injectable()
export class FactIndexStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @param known seqs beyond the segments that the process has, as an int8multirange */
  async readState(tenantId: string, generation: number, known: string): Promise<IndexState> {
    const rows = await this.tenancy.read<StateRow>('select * from svc_fact_index($1, $2, $3::int8multirange, $4)', [
      tenantId,
      generation,
      known,
      MAX_RECORDS,
    ]);
    const state = rows.at(-1)!;
    return {
      generation: Number(state.generation),
      flushedSeq: Number(state.sealed_seq),
      segments: state.segments?.map(refOf),
      added: rows.slice(0, -1).map(toIndex),
      hasMore: state.more,
    };
  }

  /** The segments without their postings; none for one that is gone. */
  async findSegments(tenantId: string, segmentIds: readonly string[]): Promise<SegmentRow[]> {
    return this.tenancy.read<SegmentRow>('select * from svc_fact_segments($1, $2::uuid[])', [tenantId, segmentIds]);
  }

  /** Slices of segments' postings in the order in which they are named; undefined for a segment that is gone. */
  async findPostings(
    tenantId: string,
    wanted: readonly { segmentId: string; first: number; end: number }[],
  ): Promise<(Buffer | undefined)[]> {
    const rows = await this.tenancy.read<{ number: string; postings: Buffer }>(
      'select * from svc_fact_postings($1, $2::uuid[], $3::bigint[], $4::bigint[])',
      [
        tenantId,
        wanted.map(({ segmentId }) => segmentId),
        wanted.map(({ first }) => first),
        wanted.map(({ end }) => end),
      ],
    );
    const found = new Map(rows.map(({ number, postings }) => [Number(number), postings]));
    return wanted.map((_, i) => found.get(i + 1));
  }

  /** At most `most` facts of what the search narrows itself to by entity; undefined when there are more. */
  async findOfEntity(
    tenantId: string,
    { entity, entityPrefix, onlyCurrent }: RankedSearch,
    most: number,
  ): Promise<number[] | undefined> {
    const { from, until = LAST_NAME } = prefixRange(entity ?? entityPrefix ?? '');
    const rows = await this.tenancy.read<{ seq: string }>(
      'select * from svc_facts_of_entity($1, $2, $3, $4, $5, $6, $7)',
      [
        tenantId,
        entity ?? null,
        entityPrefix ?? null,
        from,
        entity === undefined ? until : `${from}${MIN_CHARACTER}`,
        !onlyCurrent,
        most,
      ],
    );
    return rows.length > most ? undefined : rows.map(({ seq }) => Number(seq));
  }
}

export interface FactRecordRow {
  seq: string;
  visibility: Visibility;
  owner: string;
  entity: string;
  key: string;
  value: string;
  stored_at: Date;
  confidence: number;
  horizon_class: HorizonClass;
  retires: string | null;
  tombstone: boolean;
}

interface StateRow extends FactRecordRow {
  generation: string;
  sealed_seq: string;
  segments: RefTuple[] | null;
  more: boolean;
}

export interface SegmentRow extends Omit<PackedSegment, 'postings'> {
  segmentId: string;
}

type RefTuple = [string, Visibility, boolean, number, number];

export function refOf([segmentId, visibility, isHistory, factCount, retireCount]: RefTuple): SegmentRef {
  return { segmentId, visibility, isHistory, factCount, retireCount };
}

export function toIndex(row: FactRecordRow): FactToIndex {
  const { visibility, owner, entity, key, value, confidence } = row;
  return {
    seq: Number(row.seq),
    visibility,
    owner,
    entity,
    key,
    value,
    confidence,
    day: utcDay(row.stored_at),
    horizonClass: row.horizon_class,
    retires: row.retires === null ? null : Number(row.retires),
    isTombstone: row.tombstone,
  };
}
