import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { readSafeInteger } from '../../../common/database/safe-integer.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { LeaseRow } from './lease.entity.js';
import type { LeaseEnd } from './lease-states.types.js';
import type { LeaseDraft, LeaseEnding, LeaseSubject } from './leases.types.js';

/**
 * By the clock and not by the start of the transaction, which may have waited for a lock. To the millisecond, as
 * answers are.
 */
const NOW = `date_trunc('milliseconds', clock_timestamp())`;
const LIVE = `lease.status = 'held' and lease.expires_at > clock_timestamp()`;
const DUE = `lease.status = 'held' and lease.expires_at <= clock_timestamp()`;

/** What the next lease has: its fence and its times. */
export interface LeaseNumbers {
  fence: number;
  at: Date;
  expiresAt: Date;
}

/** The leases of the open unit of work's tenant. */
@Injectable()
export class LeasesStore {
  readonly rows: TenantRepository<LeaseRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.rows = new TenantRepository(tenancy, LeaseRow);
  }

  async draw(ttlSeconds: number): Promise<LeaseNumbers> {
    const [row] = await this.tenancy.query<{ fence: string; at: Date; expires_at: Date }>(
      `select nextval('lease_fence') as fence, n.at, n.at + make_interval(secs => $1) as expires_at from (select ${NOW} as at) n`,
      [ttlSeconds],
    );
    return { fence: readSafeInteger(row!.fence), at: row!.at, expiresAt: row!.expires_at };
  }

  insert(draft: LeaseDraft, numbers: LeaseNumbers, names: { leaseId: string; receiptId: string }): Promise<LeaseRow> {
    const { kind, subject, mode, holder, heldBy, reason } = draft;
    const { fence, at, expiresAt } = numbers;
    return this.rows.insert({
      ...{ fence, kind, subject, mode, heldBy, reason, expiresAt },
      ...{ leaseId: names.leaseId, holderPassport: holder, acquiredAt: at, renewedAt: at },
      receiptAcquire: names.receiptId,
    });
  }

  listLive(of: Partial<LeaseSubject>): Promise<LeaseRow[]> {
    return this.rows
      .select('lease', of, { order: { fence: 'asc' } })
      .andWhere(LIVE)
      .getMany();
  }

  /**
   * Held in the table alone: their time is over. Nobody else ends or renews them until the unit of work ends.
   * @param atMost so many, and only those that nobody has locked; else all of them, after those who have one locked
   */
  lockDue(of: Partial<LeaseSubject>, atMost?: number): Promise<LeaseRow[]> {
    const options = { order: { fence: 'asc' }, lock: 'no key update' } as const;
    const query = this.rows.select('lease', of, options).andWhere(DUE);
    return (atMost === undefined ? query : query.take(atMost).setOnLocked('skip_locked')).getMany();
  }

  /** Those that have not ended in the table, and may end so; locked as well. */
  async lockHeld(fences: readonly number[], status: LeaseEnd): Promise<LeaseRow[]> {
    if (fences.length === 0) return [];
    const options = { order: { fence: 'asc' }, lock: 'no key update' } as const;
    const query = this.rows.select('lease', { fence: In([...fences]), status: 'held' }, options);
    return (status === 'expired' ? query.andWhere(DUE) : query).getMany();
  }

  /** The newest of the subject, live or not. */
  async findNewest(of: LeaseSubject): Promise<LeaseRow | undefined> {
    const { kind, subject } = of;
    return (await this.rows.list({ kind, subject }, { order: { fence: 'desc' }, take: 1 }))[0];
  }

  /** Asked of a row that is locked: a lock may have been waited for. */
  async isLive(fence: number): Promise<boolean> {
    return this.rows.select('lease', { fence }).andWhere(LIVE).getExists();
  }

  /**
   * Never shortens: another process of the same holder may rely on the longer time.
   * @returns them as they are now, without those that have ended or whose time is over
   */
  async renew(renewals: readonly { fence: number; ttlSeconds: number }[]): Promise<LeaseRow[]> {
    const rows = await this.tenancy.query<Record<string, unknown>>(
      `with locked as materialized (
         select l.fence, n.ttl from json_to_recordset($2::json) n (fence bigint, ttl int) join lease l on l.tenant_id = $1 and l.fence = n.fence
         where l.status = 'held' order by l.fence for no key update of l
       )
       update lease set renewed_at = ${NOW}, expires_at = greatest(lease.expires_at, ${NOW} + make_interval(secs => locked.ttl))
       from locked where lease.tenant_id = $1 and lease.fence = locked.fence and ${LIVE} returning lease.*`,
      [this.tenancy.tenant, JSON.stringify(renewals.map(({ fence, ttlSeconds: ttl }) => ({ fence, ttl })))],
    );
    return rows.map((row) => this.rows.toRow(row));
  }

  /** Of leases that are locked. */
  async end(ends: readonly { fence: number; receipt: string }[], status: LeaseEnd, { releaseCommitSha }: LeaseEnding) {
    if (ends.length === 0) return [];
    const rows = await this.tenancy.query<Record<string, unknown>>(
      `update lease set status = $2, ended_at = ${NOW}, release_commit_sha = $3, receipt_end = e.receipt
       from jsonb_to_recordset($4::jsonb) e (fence bigint, receipt uuid)
       where lease.tenant_id = $1 and lease.fence = e.fence and lease.status = 'held' returning lease.*`,
      [this.tenancy.tenant, status, releaseCommitSha ?? null, JSON.stringify(ends)],
    );
    return rows.map((row) => this.rows.toRow(row));
  }
}
