import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { WorkItemRow } from '../work-item.entity.js';
import type { Claimant, ClaimFilter, LockedItem, NextItem } from './claims.types.js';

type Raw = Record<string, unknown>;

/** Items with their leases, in the open unit of work. */
@Injectable()
export class ClaimsStore {
  private readonly items: TenantRepository<WorkItemRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.items = new TenantRepository(tenancy, WorkItemRow);
  }

  /** @returns an item that is claimed; or one whose lease is over, only locked: that lease is to be ended first */
  async claimNext({ projectId, labels }: ClaimFilter, by: Claimant): Promise<NextItem | undefined> {
    const [row] = await this.tenancy.query<Raw>('select * from svc_claim_next_work($1, $2, $3, $4, $5, $6, $7)', [
      ...[this.tenancy.tenant, projectId ?? null, labels],
      ...[by.holder, by.askedBy, by.ttlSeconds, uuid()],
    ]);
    if (!row) return undefined;
    return { item: this.items.toRow({ ...row, state: 'in_progress' }), isClaimed: row['state'] === 'in_progress' };
  }

  /** An item that is locked, and that nobody holds. */
  async claim(workId: string, { holder, askedBy, ttlSeconds }: Claimant): Promise<WorkItemRow> {
    const [row] = await this.tenancy.query<Raw>('select * from svc_claim_work($1, $2, $3, $4, $5, $6)', [
      ...[this.tenancy.tenant, workId, holder, askedBy, ttlSeconds, uuid()],
    ]);
    return this.items.toRow(row!);
  }

  /** Whoever changes the item or its lease waits until the unit of work ends. The clock is read once it is locked. */
  async lock(workId: string): Promise<LockedItem | undefined> {
    const [row] = await this.tenancy.query<Raw>(
      `with locked as materialized (select * from work_item where tenant_id = $1 and work_id = $2 for no key update)
       select locked.*, coalesce(lease_expires_at > clock_timestamp(), false) as is_lease_live from locked`,
      [this.tenancy.tenant, workId],
    );
    return row && { item: this.items.toRow(row), isLeaseLive: row['is_lease_live'] as boolean };
  }

  /** Items whose lease is over, those left out that somebody changes, or writes under the lease of, right now. */
  async lockDue(take: number): Promise<WorkItemRow[]> {
    const rows = await this.tenancy.query<Raw>(
      `select w.* from lease l join work_item w on w.tenant_id = l.tenant_id and w.work_id = l.subject and w.lease_fence = l.fence
       where l.tenant_id = $1 and l.kind = 'work' and l.status = 'held' and l.expires_at <= clock_timestamp()
         and w.lease_expires_at <= clock_timestamp()
       order by l.expires_at limit $2 for no key update skip locked`,
      [this.tenancy.tenant, take],
    );
    return rows.map((row) => this.items.toRow(row));
  }

  async noteRenewal({ workId, leaseFence }: WorkItemRow, expiresAt: Date): Promise<void> {
    await this.tenancy.query(
      'update work_item set lease_expires_at = $4 where tenant_id = $1 and work_id = $2 and lease_fence = $3',
      [this.tenancy.tenant, workId, leaseFence, expiresAt],
    );
  }

  /** Takes the lease from items that are locked. What was in progress is ready again, and nobody's. */
  async takeLease(items: readonly WorkItemRow[]): Promise<WorkItemRow[]> {
    const rows = await this.tenancy.query<Raw>(
      `update work_item set lease_fence = null, lease_holder = null, lease_expires_at = null,
         updated_at = date_trunc('milliseconds', clock_timestamp()),
         version = version + (state = 'in_progress')::int,
         assignee_passport = case when state = 'in_progress' then null else assignee_passport end,
         state = case when state = 'in_progress' then 'ready' else state end
       where tenant_id = $1 and work_id = any($2) returning *`,
      [this.tenancy.tenant, items.map(({ workId }) => workId)],
    );
    return rows.map((row) => this.items.toRow(row));
  }

  /** How items moved, and with which receipt; where a lease ended by itself or by force, what is said of it. */
  async recordMoves(moves: readonly Move[]): Promise<void> {
    await this.tenancy.query(MOVES, [this.tenancy.tenant, JSON.stringify(moves)]);
  }
}

/** What a lease changed: a row of work_transition where the state is another, of work_comment where one is said. */
export interface Move {
  work_id: string;
  version: number;
  from_state: string;
  to_state: string;
  passport: string;
  principal: string;
  why: string | null;
  /** Whose it is after it. */
  assignee: string | null;
  fence: number;
  receipt_id: string;
  /** Where the lease begins with it. */
  begins?: true;
  comment_id?: string;
  comment?: string;
}

const MOVES = `
  with move as materialized (
    select * from jsonb_to_recordset($2::jsonb) m (work_id text, version int, from_state text, to_state text, passport text,
      principal text, why text, assignee text, fence bigint, receipt_id uuid, begins boolean, comment_id uuid, comment text)
  ), begun as (
    update lease l set receipt_acquire = m.receipt_id from move m where m.begins and l.tenant_id = $1 and l.fence = m.fence
  ), said as (
    insert into work_comment (tenant_id, work_id, comment_id, author_passport, body, receipt_id)
    select $1, work_id, comment_id, passport, comment, receipt_id from move where comment_id is not null
  )
  insert into work_transition (tenant_id, work_id, version, from_state, to_state, passport, principal, why, assignee_passport, fence,
    receipt_id, changed_at)
  select $1, work_id, version, from_state, to_state, passport, principal, why, assignee, fence, receipt_id,
    date_trunc('milliseconds', clock_timestamp())
  from move where from_state <> to_state`;
