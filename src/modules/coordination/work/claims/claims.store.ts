import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import type { LeaseEnd } from '../../leases/lease-states.types.js';
import type { LeaseRow } from '../../leases/leases.types.js';
import { GatePolicyRow } from '../gates/gate-policy.entity.js';
import { WorkItemRow } from '../work-item.entity.js';
import {
  type Claimant,
  type ClaimFilter,
  DEFERRED,
  type Deferred,
  type HeldItem,
  type LockedItem,
  type NextClaim,
  type NextItem,
} from './claims.types.js';

type Raw = Record<string, unknown>;

/** Items with their leases, in the open unit of work. */
@Injectable()
export class ClaimsStore {
  private readonly items: TenantRepository<WorkItemRow>;
  private readonly policies: TenantRepository<GatePolicyRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.items = new TenantRepository(tenancy, WorkItemRow);
    this.policies = new TenantRepository(tenancy, GatePolicyRow);
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

  /** For each an item that is claimed; nothing is waited for. What is deferred is for {@link claimNext}. */
  async claimNextOfEach(claims: readonly NextClaim[]): Promise<(WorkItemRow | Deferred | undefined)[]> {
    const wanted = claims.map(({ filter: { projectId, labels }, claimant }) => ({
      ...{ project: projectId ?? null, labels, holder: claimant.holder, asked_by: claimant.askedBy },
      ...{ ttl: claimant.ttlSeconds, lease_id: uuid() },
    }));
    const rows = await this.tenancy.query<Raw>(
      'select place, is_deferred, (item).* from svc_claim_next_works($1, $2) order by place',
      [this.tenancy.tenant, JSON.stringify(wanted)],
    );
    return rows.map((row) => {
      if (row['is_deferred']) return DEFERRED;
      return row['work_id'] === null ? undefined : this.items.toRow(row);
    });
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

  /** The moves that the policy of a project names. */
  async listGatedMoves(projectId: string): Promise<string[]> {
    return (await this.policies.find({ projectId }))?.moves ?? [];
  }

  /**
   * Items that are held, by their ids; locked with their leases. Nothing is waited for: those that somebody changes, or
   * writes under the lease of, are left out.
   */
  async lockHeld(workIds: readonly string[]): Promise<Map<string, HeldItem>> {
    const rows = await this.tenancy.query<Raw>(
      `with locked as materialized (
         select w.*, l.held_by, p.moves as gated_moves from work_item w
         join lease l on l.tenant_id = w.tenant_id and l.fence = w.lease_fence and l.status = 'held'
         left join work_gate_policy p on p.tenant_id = w.tenant_id and p.project_id = w.project_id
         where w.tenant_id = $1 and w.work_id = any($2) for no key update of w, l skip locked)
       select locked.*, coalesce(lease_expires_at > clock_timestamp(), false) as is_lease_live from locked`,
      [this.tenancy.tenant, workIds],
    );
    return new Map(rows.map((row) => [row['work_id'] as string, this.heldOf(row)]));
  }

  private heldOf(row: Raw): HeldItem {
    const [isLeaseLive, heldBy] = [row['is_lease_live'] as boolean, row['held_by'] as string];
    const gatedMoves = (row['gated_moves'] as string[] | null) ?? [];
    return { item: this.items.toRow(row), isLeaseLive, heldBy, gatedMoves };
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

  /** Of leases that were renewed; their items are locked. */
  async noteRenewals(leases: readonly Pick<LeaseRow, 'fence' | 'subject' | 'expiresAt'>[]): Promise<void> {
    await this.tenancy.query(
      `update work_item w set lease_expires_at = n.expires_at
       from json_to_recordset($2::json) n (subject text, fence bigint, expires_at timestamptz)
       where w.tenant_id = $1 and w.work_id = n.subject and w.lease_fence = n.fence`,
      [
        this.tenancy.tenant,
        JSON.stringify(leases.map(({ expiresAt, ...rest }) => ({ ...rest, expires_at: expiresAt }))),
      ],
    );
  }

  /**
   * How items moved, and with which receipt; where a lease ended by itself or by force, what is said of it.
   * @returns the items whose lease ended: what was in progress is ready again, and nobody's
   */
  async recordMoves(moves: readonly Move[]): Promise<WorkItemRow[]> {
    const rows = await this.tenancy.query<Raw>('select * from svc_record_moves($1, $2)', [
      this.tenancy.tenant,
      JSON.stringify(moves),
    ]);
    return rows.map((row) => this.items.toRow(row));
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
  subject: string | null;
  why: string | null;
  /** Whose it is after it. */
  assignee: string | null;
  fence: number;
  receipt_id: string;
  /** Where the lease begins with it. */
  begins?: true;
  /** Where it ends with it. */
  ends?: LeaseEnd;
  comment_id?: string;
  comment?: string;
}
