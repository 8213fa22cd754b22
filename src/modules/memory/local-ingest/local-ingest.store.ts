import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../../../common/database/advisory-locks.js';
import { sqlStateOf } from '../../../common/database/sql-state.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

export interface NewSegment {
  readonly segmentSeq: number;
  readonly corpusId: string;
  readonly frameCount: number;
  readonly frames: Uint8Array;
  readonly digest: Uint8Array;
  readonly sealedAt: string;
  readonly receiptId: string;
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Sealed segments, and the lock by which one is sealed at a time. */
@Injectable()
export class LocalIngestStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Waits for the lock that the sealing of other processes takes too.
   * @returns false when it was not to be had in time
   */
  async lockSealing(waitMs: number): Promise<boolean> {
    await this.tenancy.query(`select set_config('lock_timeout', $1, true)`, [`${Math.max(1, Math.floor(waitMs))}ms`]);
    try {
      await this.tenancy.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.sealing]);
    } catch (error) {
      if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
    await this.tenancy.query(`select set_config('lock_timeout', '0', true)`);
    return true;
  }

  /** The seq that the tenant's next segment gets, after those that are erased too; to be asked with the lock held. */
  async nextSeq(): Promise<number> {
    const [row] = await this.tenancy.query<{ next: string }>(
      `select coalesce(greatest((select max(segment_seq) from sealed_segment),
         (select max(segment_seq) from erased_segment where node_id = '')), 0) + 1 as next`,
    );
    return Number(row!.next);
  }

  async recordSegment(segment: NewSegment): Promise<void> {
    await this.tenancy.query(
      `insert into sealed_segment (tenant_id, segment_seq, corpus_id, frame_count, frames, digest, sealed_at, receipt_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        this.tenancy.tenant,
        segment.segmentSeq,
        segment.corpusId,
        segment.frameCount,
        Buffer.from(segment.frames),
        Buffer.from(segment.digest),
        segment.sealedAt,
        segment.receiptId,
      ],
    );
  }
}
