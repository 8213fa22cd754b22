import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { WatchAlertRow } from './watch-alert.entity.js';
import { WatchSeenRow } from './watch-seen.entity.js';
import { WatchSourceRow, type WatchSource } from './watch-source.entity.js';
import { WatchRow, type Watch } from './watch.entity.js';
import type { TargetType } from './watches.types.js';

export interface WatchFilter {
  targetType?: TargetType;
  targetId?: string;
  agentId?: string;
  active: boolean;
}

/** By what a second watch on the same is known: of one caller for one agent there is one at a time. */
export type WatchName = Pick<Watch, 'principal' | 'agentId' | 'targetType' | 'targetId'>;

/** What is shown of an alert. */
export type AlertContent = Pick<WatchAlertRow, 'alertId' | 'watchId' | 'change' | 'body' | 'occurredAt'>;
type AlertRead = AlertContent & Pick<Watch, 'targetType' | 'targetId' | 'note'>;

/** Last row of the page before. */
type After = [position: string] | undefined;

/** Watches and alerts of the open unit of work's tenant. */
@Injectable()
export class WatchesStore {
  private readonly watches: TenantRepository<WatchRow>;
  private readonly alerts: TenantRepository<WatchAlertRow>;
  private readonly sources: TenantRepository<WatchSourceRow>;
  private readonly seen: TenantRepository<WatchSeenRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.watches = new TenantRepository(tenancy, WatchRow);
    this.alerts = new TenantRepository(tenancy, WatchAlertRow);
    this.sources = new TenantRepository(tenancy, WatchSourceRow);
    this.seen = new TenantRepository(tenancy, WatchSeenRow);
  }

  /** What has happened by now: taken before a target is looked at, so that nothing that follows is missed. */
  async snapshot(): Promise<string> {
    const [row] = await this.tenancy.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
    return row!.snapshot;
  }

  /** How many watch; until the unit of work ends no other is added. */
  async countLocked(): Promise<{ all: number; queries: number }> {
    await this.tenancy.lock('watches');
    const [row] = await this.tenancy.query<{ all: number; queries: number }>(
      `select count(*)::int as all, count(*) filter (where target_type = 'query')::int as queries
       from watch where tenant_id = $1 and ended_at is null`,
      [this.tenancy.tenant],
    );
    return row!;
  }

  /** A watch on the same, of the same caller for the same agent. */
  findSame({ principal, agentId, targetType, targetId }: WatchName): Promise<WatchRow | undefined> {
    return this.watches.find({ principal, agentId, targetType, targetId, endedAt: IsNull() });
  }

  /** @returns the id of the newest watch on the same, of the same caller for the same agent, that has ended */
  findLastEnded({ principal, agentId, targetType, targetId }: WatchName): Promise<string | null> {
    return this.findId(
      `select watch_id from watch
       where tenant_id = $1 and principal = $2 and agent_id = $3 and target_type = $4 and md5(target_id) = md5($5) and target_id = $5
         and ended_at is not null
       order by position desc limit 1`,
      [principal, agentId, targetType, targetId],
    );
  }

  /** @returns the id of the newest watch on the same, of the same caller for the same agent, that followed this one */
  findLastFollowing(watchId: string): Promise<string | null> {
    return this.findId(
      `select later.watch_id from watch w
       join watch later on later.tenant_id = w.tenant_id and later.principal = w.principal and later.agent_id = w.agent_id
         and later.target_type = w.target_type and md5(later.target_id) = md5(w.target_id) and later.target_id = w.target_id
         and later.position > w.position
       where w.tenant_id = $1 and w.watch_id = $2 order by later.position desc limit 1`,
      [watchId],
    );
  }

  private async findId(sql: string, parameters: string[]): Promise<string | null> {
    const [row] = await this.tenancy.query<{ watch_id: string }>(sql, [this.tenancy.tenant, ...parameters]);
    return row?.watch_id ?? null;
  }

  record(watch: Watch, createdSnapshot: string): Promise<WatchRow> {
    return this.watches.insert({ ...watch, createdSnapshot });
  }

  async recordSources(watchId: string, sources: readonly WatchSource[]): Promise<void> {
    await this.sources.insertAll(sources.map((source, ordinal) => ({ ...source, watchId, ordinal })));
  }

  /** Marks passages as reported. @returns those that were not before */
  async recordSeen(watchId: string, passages: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.seen.insertAllNew(passages.map((passage) => ({ watchId, passage })));
    return rows.map(({ passage }) => passage);
  }

  has(watchId: string): Promise<boolean> {
    return this.watches.has({ watchId });
  }

  /** It stays as it is until the unit of work ends. */
  findLocked(watchId: string): Promise<WatchRow | undefined> {
    return this.watches.find({ watchId, endedAt: IsNull() }, 'update');
  }

  list({ active, ...filter }: WatchFilter, after: After, take: number): Promise<WatchRow[]> {
    const endedAt = active ? IsNull() : Not(IsNull());
    return this.watches.list({ ...filter, endedAt }, { order: { position: 'asc' }, after, take });
  }

  listOfAnswer(targetId: string, take: number): Promise<WatchRow[]> {
    // The index is over the digest: a target may be long.
    const target = Raw((column) => `md5(${column}) = md5(:targetId) and ${column} = :targetId`, { targetId });
    const filter = { resolvedType: 'answer' as const, targetId: target, endedAt: IsNull() };
    return this.watches.list(filter, { order: { position: 'asc' }, take });
  }

  end(watchId: string, endedBy: string): Promise<WatchRow> {
    return this.watches.updateOne({ watchId, endedAt: IsNull() }, { endedAt: () => 'now()', endedBy });
  }

  /** With what their watches are on, and for. */
  async readAlerts(named: readonly { watchId: string; alertId: string }[]): Promise<AlertRead[]> {
    if (named.length === 0) return [];
    return this.tenancy.query<AlertRead>(
      `select a.alert_id as "alertId", a.watch_id as "watchId", a.change, a.body, a.occurred_at as "occurredAt",
         w.target_type as "targetType", w.target_id as "targetId", w.note
       from unnest($2::uuid[], $3::uuid[]) n(watch_id, alert_id)
       join watch_alert a on a.tenant_id = $1 and a.watch_id = n.watch_id and a.alert_id = n.alert_id
       join watch w on w.tenant_id = a.tenant_id and w.watch_id = a.watch_id`,
      [this.tenancy.tenant, named.map(({ watchId }) => watchId), named.map(({ alertId }) => alertId)],
    );
  }

  listAlerts(watchId: string, since: string | undefined, after: After, take: number): Promise<WatchAlertRow[]> {
    const occurredAt = since === undefined ? since : Raw((column) => `${column} >= :since`, { since });
    return this.alerts.list({ watchId, occurredAt }, { order: { position: 'asc' }, after, take });
  }
}
