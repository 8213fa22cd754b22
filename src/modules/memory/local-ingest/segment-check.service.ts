import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { isIntact, type KeptSegment } from './segment.rules.js';

/** What one step of the check found. */
export interface SegmentVerdict {
  /** Segments that were looked at. */
  readonly checked: number;
  /** Of those, the ones whose bytes are not what was sealed: `<tenant_id>/<segment_seq>`. */
  readonly corrupt: readonly string[];
  /** The step reached the last segment; the next one starts at the first again. */
  readonly endedRound: boolean;
}

interface SegmentRow extends KeptSegment {
  tenant_id: string;
  segment_seq: string;
}

/**
 * What a step reads at most, unless a single segment is larger: hashing it keeps all else waiting, some 30 ms for this
 * much.
 */
const STEP_BYTES = 4 * 1024 * 1024;
const STEP_SEGMENTS = 256;

/**
 * Hashes the sealed segments of every tenant again, some at each step, round after round (D39, corruption_state_clear).
 * A segment is intact when its bytes have the digest that it was sealed with, and its receipt says the same digest.
 */
@Injectable()
export class SegmentCheck {
  private last: { tenantId: string; segmentSeq: string } | undefined;

  constructor(private readonly crossTenant: CrossTenant) {}

  /** Checks the next segments of the round. Steps are not to overlap. */
  async step(): Promise<SegmentVerdict> {
    const rows = await this.crossTenant.run('check segments', (query) =>
      query<SegmentRow>(NEXT, [this.last?.tenantId ?? '', this.last?.segmentSeq ?? '0', STEP_SEGMENTS, STEP_BYTES]),
    );
    const end = rows.at(-1);
    this.last = end && { tenantId: end.tenant_id, segmentSeq: end.segment_seq };
    return {
      checked: rows.length,
      corrupt: rows.filter((row) => !isIntact(row)).map((row) => `${row.tenant_id}/${row.segment_seq}`),
      endedRound: end === undefined,
    };
  }
}

const NEXT = `
  select s.tenant_id, s.segment_seq, s.frames, s.digest, r.cose as receipt from (
    select n.*, sum(octet_length(n.frames)) over w as bytes, row_number() over w as place from sealed_segment n
    where (n.tenant_id, n.segment_seq) > ($1, $2::bigint)
    window w as (order by n.tenant_id, n.segment_seq rows unbounded preceding)
    order by n.tenant_id, n.segment_seq limit $3
  ) s left join receipt r on r.tenant_id = s.tenant_id and r.receipt_id = s.receipt_id
  where s.bytes <= $4 or s.place = 1
  order by s.tenant_id, s.segment_seq
`;
