import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { RecordCollection } from './sync-record.types.js';
import type { Keeping } from './sync-plan.rules.js';
import type { Collection } from './sync.types.js';

/** What is kept of a tenant that syncs. */
export interface SyncTenant {
  readonly category: 'personal' | 'team' | 'org';
  readonly ownerId: string;
  /** A whole number of 64 bits, in decimal digits. */
  readonly membershipEpoch: string;
  /** Who writes here, in vectors: the present one first, then those that were. */
  readonly origins: readonly [string, ...string[]];
  /** The epoch of the log in which the present one began. */
  readonly logEpoch: string;
  /** The epoch that the log is in. */
  readonly currentEpoch: string;
  readonly writes: number;
  readonly position: number;
  readonly positions: Partial<Record<Collection, number>>;
  readonly factSeq: string;
}

interface TenantRow {
  category: SyncTenant['category'];
  owner_id: string;
  membership_epoch: string;
  origins: [string, ...string[]];
  log_epoch: string;
  current_epoch: string;
  writes: string;
  position: string;
  positions: Partial<Record<Collection, number>>;
  fact_seq: string;
}

/** A record that changed, by its id. */
export interface ChangedRecord {
  readonly target: RecordCollection;
  readonly parts: readonly string[];
}

/** The state of a tenant's sync, and what changed since the index looked last, in the open unit of work. */
@Injectable()
export class SyncTenantsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Until the unit ends nobody else writes what sync carries: writers under way are waited for.
   * @returns the last seq of facts
   */
  async lock(): Promise<string> {
    const [row] = await this.tenancy.query<{ seq: string }>('select svc_settle_facts($1) as seq', [
      this.tenancy.tenant,
    ]);
    await this.tenancy.query(`select pg_advisory_xact_lock(hashtextextended('svc holds ' || $1, 0))`, [
      this.tenancy.tenant,
    ]);
    return row!.seq;
  }

  /** For the rest of the unit rows are found by their keys, whatever the statistics of a table that just grew say. */
  followKeys(): Promise<unknown> {
    return this.tenancy.query(
      `select ${['seqscan', 'hashjoin', 'mergejoin'].map((way) => `set_config('enable_${way}', 'off', true)`).join(', ')}`,
    );
  }

  async find(): Promise<SyncTenant | undefined> {
    const [row] = await this.tenancy.query<TenantRow>(FIND, [this.tenancy.tenant]);
    return (
      row && {
        ...{
          category: row.category,
          ownerId: row.owner_id,
          membershipEpoch: row.membership_epoch,
          origins: row.origins,
        },
        ...{ logEpoch: row.log_epoch, currentEpoch: row.current_epoch, writes: Number(row.writes) },
        ...{ position: Number(row.position), positions: row.positions, factSeq: row.fact_seq },
      }
    );
  }

  /** Under the lock: from here on what changes is marked; everything that is there is, too. */
  async enable(origin: string): Promise<void> {
    const enabled = await this.tenancy.query(ENABLE, [this.tenancy.tenant, [origin]]);
    if (enabled.length > 0) await this.tenancy.query(MARK_ALL, [this.tenancy.tenant]);
  }

  async beginOrigin(origin: string, logEpoch: string): Promise<void> {
    await this.tenancy.query(
      `update sync_tenant set origins = array[$2] || origins, log_epoch = $3, writes = 0 where tenant_id = $1`,
      [this.tenancy.tenant, origin, logEpoch],
    );
  }

  /** @param positions of the collections that changed */
  async advance(to: {
    writes: number;
    position: number;
    positions: Partial<Record<Collection, number>>;
  }): Promise<void> {
    await this.tenancy.query(
      `update sync_tenant set writes = $2, position = $3, positions = positions || $4::jsonb where tenant_id = $1`,
      [this.tenancy.tenant, to.writes, to.position, JSON.stringify(to.positions)],
    );
  }

  async settleFacts(seq: string): Promise<void> {
    await this.tenancy.query('update sync_tenant set fact_seq = $2 where tenant_id = $1', [this.tenancy.tenant, seq]);
  }

  async setMembershipEpoch(epoch: string): Promise<void> {
    await this.tenancy.query('update sync_tenant set membership_epoch = $2 where tenant_id = $1', [
      this.tenancy.tenant,
      epoch,
    ]);
  }

  /** Public facts whose chains have records after this one; `last` is the seq up to which that is. */
  async factsSince(seq: string, limit: number): Promise<{ changed: ChangedRecord[]; last: string; isMore: boolean }> {
    const rows = await this.tenancy.query<{ seq: string; entity: string; key: string; visibility: number }>(
      'select seq, entity, key, visibility from fact where tenant_id = $1 and seq > $2 order by seq limit $3',
      [this.tenancy.tenant, seq, limit],
    );
    const changed = rows
      .filter(({ visibility }) => visibility === 0)
      .map(({ entity, key }) => ({ target: 'facts' as const, parts: [entity, key] }));
    return { changed, last: rows.at(-1)?.seq ?? seq, isMore: rows.length === limit };
  }

  async marks(limit: number): Promise<{ changed: ChangedRecord[]; marks: string[]; isMore: boolean }> {
    const rows = await this.tenancy.query<{ mark: string; target: RecordCollection; parts: string[] }>(
      'select mark, target, parts from sync_change where tenant_id = $1 order by mark limit $2',
      [this.tenancy.tenant, limit],
    );
    return { changed: rows, marks: rows.map(({ mark }) => mark), isMore: rows.length === limit };
  }

  async dropMarks(marks: readonly string[]): Promise<void> {
    if (marks.length > 0)
      await this.tenancy.query('delete from sync_change where tenant_id = $1 and mark = any($2::bigint[])', [
        this.tenancy.tenant,
        marks,
      ]);
  }

  /** Under the lock, after writes of sync itself, where the index was complete before them. */
  async dropOwnMarks(): Promise<void> {
    await this.tenancy.query('delete from sync_change where tenant_id = $1', [this.tenancy.tenant]);
    await this.tenancy.query(
      `update sync_tenant set fact_seq = greatest(fact_seq, (select coalesce(max(f.seq), 0) from fact f where f.tenant_id = $1)) where tenant_id = $1`,
      [this.tenancy.tenant],
    );
  }

  /** What legal holds keep at this moment. */
  async keeping(): Promise<Keeping> {
    const rows = await this.tenancy.query<{ hold_id: string; entity_prefixes: string[]; is_open: boolean }>(HOLDS, [
      this.tenancy.tenant,
    ]);
    return {
      holds: rows.map(({ entity_prefixes }) => entity_prefixes),
      unreleasable: new Set(rows.flatMap(({ hold_id, is_open }) => (is_open ? [hold_id] : []))),
    };
  }

  /** Without any lock: whether there is something to take up. */
  async isBehind(): Promise<boolean> {
    const [row] = await this.tenancy.query<{ is_behind: boolean }>(IS_BEHIND, [this.tenancy.tenant]);
    return row?.is_behind ?? true;
  }
}

/**
 * An incident that is closed is not opened before the transaction ends. One that somebody changes right now counts as
 * open: who places a hold of it waits for the locks of this transaction.
 */
const PLACED_BY = 'incident i where i.tenant_id = h.tenant_id and i.incident_id::text = h.incident_id';
const HOLDS = `
  select h.hold_id, h.entity_prefixes, h.incident_id is not null and coalesce(
    (select i.status <> 'closed' from ${PLACED_BY} for share skip locked), exists (select from ${PLACED_BY})) as is_open
  from legal_hold h where h.tenant_id = $1 and h.released_at is null`;

const EPOCH = `coalesce((select e.origin from log_epoch e order by e.epoch desc limit 1), '')`;

const FIND = `
  select s.category, s.owner_id, s.membership_epoch, s.origins, s.log_epoch, ${EPOCH} as current_epoch, s.writes, s.position, s.positions, s.fact_seq
  from sync_tenant s where s.tenant_id = $1`;

const ENABLE = `
  insert into sync_tenant (tenant_id, owner_id, origins, log_epoch) values ($1, $1, $2, ${EPOCH}) on conflict do nothing returning tenant_id`;

const MARK_ALL = `
  insert into sync_change (tenant_id, target, parts)
  select $1, 'holds', array[h.hold_id::text] from legal_hold h where h.tenant_id = $1
  union all select $1, 'entities', array[e.kind, e.id] from graph_entity e where e.tenant_id = $1 and not e.is_deleted
  union all select $1, 'edges', array[g.from_kind, g.from_id, g.edge_kind, g.to_kind, g.to_id] from graph_edge g where g.tenant_id = $1 and not g.is_deleted
  union all select $1, 'relations', array[r.from_id::text, r.edge_type, r.to_id::text] from relation r where r.tenant_id = $1
  union all select $1, 'cases', array[c.case_id::text] from memory_case c where c.tenant_id = $1`;

const IS_BEHIND = `
  select s.log_epoch <> ${EPOCH} or exists (select from sync_change c where c.tenant_id = $1)
    or exists (select from fact f where f.tenant_id = $1 and f.seq > s.fact_seq)
    or exists (select from sync_record r where r.tenant_id = $1 and r.state = 'held' and r.target <> 'holds' and svc_holds_on_any($1, r.names) = '{}') as is_behind
  from sync_tenant s where s.tenant_id = $1`;
