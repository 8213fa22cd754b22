import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Alert, Change, TargetType, Watch, WatchedQuery, WatchSource } from './watches.types.js';

export interface WatchRow {
  watch_id: string;
  principal: string;
  agent_id: string;
  target_type: TargetType;
  target_id: string;
  query: WatchedQuery | null;
  note: string | null;
  created_at: Date;
  ended_at: Date | null;
  position: string;
  alert_count: number;
}

export interface AlertRow {
  alert_id: string;
  watch_id: string;
  change: Change;
  body: AlertBody;
  occurred_at: Date;
  position: string;
}

/** The members of an alert that are kept as JSON. */
export type AlertBody = Omit<Alert, 'eventId' | 'occurredAt' | 'change'>;

export interface WatchFilter {
  targetType?: TargetType;
  targetId?: string;
  agentId?: string;
  active: boolean;
}

const COLUMNS = `w.watch_id, w.principal, w.agent_id, w.target_type, w.target_id, w.query, w.note, w.created_at, w.ended_at, w.position::text as position,
  (select count(*)::int from watch_alert a where a.tenant_id = w.tenant_id and a.watch_id = w.watch_id) as alert_count`;

/** Watches and alerts of the open unit of work's tenant. */
@Injectable()
export class WatchesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** What has happened by now: taken before a target is looked at, so that nothing that follows is missed. */
  async snapshot(): Promise<string> {
    const [row] = await this.tenancy.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
    return row!.snapshot;
  }

  /** How many watch; until the unit of work ends no other is added. */
  async countLocked(): Promise<{ all: number; queries: number }> {
    await this.tenancy.query(
      `select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('watches', $1::text)::text, 0))`,
      [this.tenancy.tenant],
    );
    const [row] = await this.tenancy.query<{ all: number; queries: number }>(
      `select count(*)::int as all, count(*) filter (where target_type = 'query')::int as queries
       from watch where tenant_id = $1 and ended_at is null`,
      [this.tenancy.tenant],
    );
    return row!;
  }

  async findSame({ principal, agentId, targetType, targetId }: Watch): Promise<string | undefined> {
    const [row] = await this.tenancy.query<{ watch_id: string }>(
      `select watch_id from watch where tenant_id = $1 and principal = $2 and agent_id = $3 and target_type = $4
         and md5(target_id) = md5($5) and target_id = $5 and ended_at is null`,
      [this.tenancy.tenant, principal, agentId, targetType, targetId],
    );
    return row?.watch_id;
  }

  async record(watch: Watch, snapshot: string): Promise<void> {
    await this.tenancy.query(
      `insert into watch (tenant_id, watch_id, principal, agent_id, target_type, target_id, resolved_type, target_version, query, note, created_snapshot)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::pg_snapshot)`,
      [
        this.tenancy.tenant,
        watch.watchId,
        watch.principal,
        watch.agentId,
        watch.targetType,
        watch.targetId,
        watch.resolvedType,
        watch.targetVersion,
        watch.query && JSON.stringify(watch.query),
        watch.note,
        snapshot,
      ],
    );
  }

  async recordSources(watchId: string, sources: readonly WatchSource[]): Promise<void> {
    await this.tenancy.query(
      `insert into watch_source (tenant_id, watch_id, ordinal, owner_tenant_id, corpus_id, doc_id, chunk_id, content_hash, version, stands)
       select $1, $2, s.ordinal, s."ownerTenantId", s."corpusId", s."docId", s."chunkId", decode(s."contentHash", 'hex'), s.version, s.stands
       from jsonb_to_recordset($3::jsonb) as s(ordinal int, "ownerTenantId" text, "corpusId" text, "docId" text, "chunkId" text, "contentHash" text,
         version int, stands boolean)`,
      [this.tenancy.tenant, watchId, JSON.stringify(sources.map((source, ordinal) => ({ ...source, ordinal })))],
    );
  }

  /** Marks passages as reported. @returns those that were not before */
  async recordSeen(watchId: string, passages: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.tenancy.query<{ passage: Buffer }>(
      `insert into watch_seen (tenant_id, watch_id, passage) select distinct $1, $2::uuid, p from unnest($3::bytea[]) p
       on conflict do nothing returning passage`,
      [this.tenancy.tenant, watchId, passages],
    );
    return rows.map((row) => row.passage);
  }

  async find(watchId: string, lock = false): Promise<WatchRow | undefined> {
    const [row] = await this.tenancy.query<WatchRow>(
      `select ${COLUMNS} from watch w where w.tenant_id = $1 and w.watch_id = $2 ${lock ? 'for update' : ''}`,
      [this.tenancy.tenant, watchId],
    );
    return row;
  }

  list(
    { targetType, targetId, agentId, active }: WatchFilter,
    after: string | undefined,
    limit: number,
  ): Promise<WatchRow[]> {
    return this.tenancy.query<WatchRow>(
      `select ${COLUMNS} from watch w
       where w.tenant_id = $1 and (w.ended_at is null) = $2 and ($3::text is null or w.target_type = $3) and ($4::text is null or w.target_id = $4)
         and ($5::text is null or w.agent_id = $5) and ($6::bigint is null or w.position > $6::bigint)
       order by w.position limit $7`,
      [this.tenancy.tenant, active, targetType ?? null, targetId ?? null, agentId ?? null, after ?? null, limit],
    );
  }

  async end(watchId: string, principal: string): Promise<void> {
    await this.tenancy.query(
      'update watch set ended_at = now(), ended_by = $3 where tenant_id = $1 and watch_id = $2 and ended_at is null',
      [this.tenancy.tenant, watchId, principal],
    );
  }

  listAlerts(
    watchId: string,
    since: string | undefined,
    after: string | undefined,
    limit: number,
  ): Promise<AlertRow[]> {
    return this.tenancy.query<AlertRow>(
      `select alert_id, watch_id, change, body, occurred_at, a.position::text as position from watch_alert a
       where tenant_id = $1 and watch_id = $2 and ($3::timestamptz is null or occurred_at >= $3) and ($4::bigint is null or a.position > $4::bigint)
       order by a.position limit $5`,
      [this.tenancy.tenant, watchId, since ?? null, after ?? null, limit],
    );
  }
}
