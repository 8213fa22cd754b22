import { Injectable } from '@nestjs/common';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { WatchAlertRow } from '../watch-alert.entity.js';
import { WatchSourceRow } from '../watch-source.entity.js';
import type { Alert, EvaluationTask } from '../watches.types.js';
import type { Candidate, Occurrence, PlacedSource } from './evaluation.types.js';

/** The events of a task, of whatever tenant, in their order. */
export async function findOccurrences(query: Query, { events }: EvaluationTask): Promise<Occurrence[]> {
  return query<Occurrence>(
    `select e.tenant_id as owner, e.event_id as "eventId", e.kind, e.subject, e.data, e.occurred_at as "occurredAt", e.transaction::text as transaction
     from unnest($1::text[], $2::uuid[]) n(tenant_id, event_id) join outbox_event e using (tenant_id, event_id)
     order by e.transaction, e.position`,
    [events.map(([owner]) => owner), events.map(([, id]) => id)],
  );
}

/** Watches of the open unit of work's tenant as they are looked at. */
@Injectable()
export class EvaluationStore {
  private readonly alerts: TenantRepository<WatchAlertRow>;
  private readonly sources: TenantRepository<WatchSourceRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.alerts = new TenantRepository(tenancy, WatchAlertRow);
    this.sources = new TenantRepository(tenancy, WatchSourceRow);
  }

  /** Without those of the tenant that were erased since. */
  async keepPresent(occurrences: readonly Occurrence[]): Promise<Occurrence[]> {
    const rows = await this.tenancy.query<{ id: string }>(
      'select event_id as id from outbox_event where tenant_id = $1 and event_id = any($2::uuid[])',
      [this.tenancy.tenant, occurrences.map(({ eventId }) => eventId)],
    );
    const present = new Set(rows.map(({ id }) => id));
    return occurrences.filter(({ owner, eventId }) => owner !== this.tenancy.tenant || present.has(eventId));
  }

  /**
   * The watches that these events may concern, by agent: in the order in which a transaction that changes several locks
   * them. With `lock` they stay as they are until the unit of work ends.
   */
  async findCandidates(occurrences: readonly Occurrence[], lock: boolean): Promise<Candidate[]> {
    const documents = occurrences
      .filter(({ kind }) => kind.startsWith('document.') || kind === 'entitlement.ended' || kind === 'tenant.deleted')
      .map(({ owner, data: { publisher, corpusId, docId } }) => ({
        owner: publisher ?? owner,
        corpus: corpusId ?? null,
        doc: docId ?? null,
      }));
    const subjects = occurrences.map(({ kind, subject, data }) =>
      kind === 'proof.completed' ? (data.subject as { id: string }).id : subject,
    );
    return this.tenancy.query<Candidate>(
      `select w.watch_id as "watchId", w.principal, w.agent_id as "agentId", w.target_type as "targetType", w.target_id as "targetId",
         w.resolved_type as "resolvedType", w.target_version as "targetVersion", w.query, w.note,
         array(select x from unnest($2::text[]) x where pg_visible_in_snapshot(x::xid8, w.created_snapshot)) as known,
         coalesce((select jsonb_agg(jsonb_build_object('ordinal', s.ordinal, 'ownerTenantId', s.owner_tenant_id, 'corpusId', s.corpus_id, 'docId', s.doc_id,
           'chunkId', s.chunk_id, 'contentHash', encode(s.content_hash, 'hex'), 'version', s.version, 'stands', s.stands) order by s.ordinal)
           from watch_source s where s.tenant_id = w.tenant_id and s.watch_id = w.watch_id), '[]') as sources
       from watch w
       where w.tenant_id = $1 and w.ended_at is null and (
         w.resolved_type = 'query'
         or w.resolved_type in ('answer', 'chunk', 'document') and w.target_id = any($3::text[])
         or w.watch_id in (select s.watch_id from jsonb_to_recordset($4::jsonb) as d(owner text, corpus text, doc text)
           join watch_source s on s.tenant_id = $1 and s.owner_tenant_id = d.owner and (d.corpus is null or s.corpus_id = d.corpus) and (d.doc is null or s.doc_id = d.doc)))
       order by w.agent_id collate "C", w.watch_id ${lock ? 'for update of w' : ''}`,
      [
        this.tenancy.tenant,
        [...new Set(occurrences.map(({ transaction }) => transaction))],
        subjects,
        JSON.stringify(documents),
      ],
    );
  }

  /** @returns false when the watch was alerted to this event before */
  async recordAlert(
    watchId: string,
    alertId: string,
    { eventId, occurredAt, change, ...body }: Alert,
  ): Promise<boolean> {
    return (await this.alerts.insertNew({ watchId, alertId, eventId, change, body, occurredAt })) !== undefined;
  }

  /** Where the target and what it stands on have come to. */
  async move(watchId: string, targetVersion: number | null, sources: readonly PlacedSource[]): Promise<void> {
    await this.tenancy.query('update watch set target_version = $3 where tenant_id = $1 and watch_id = $2', [
      this.tenancy.tenant,
      watchId,
      targetVersion,
    ]);
    await this.tenancy.query(
      `update watch_source s set stands = n.stands, version = n.version from jsonb_to_recordset($3::jsonb) as n(ordinal int, stands boolean, version int)
       where s.tenant_id = $1 and s.watch_id = $2 and s.ordinal = n.ordinal and (s.stands, s.version) is distinct from (n.stands, n.version)`,
      [
        this.tenancy.tenant,
        watchId,
        JSON.stringify(sources.map(({ ordinal, stands, version }) => ({ ordinal, stands, version }))),
      ],
    );
  }

  async removeSources(watchId: string): Promise<void> {
    await this.sources.delete({ watchId });
  }
}
