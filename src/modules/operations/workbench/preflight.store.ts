import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Rows of one kind that an answer shows at most, one more being read. */
export const MAX_FOUND = 200;
/** How far away what depends on a path is looked for. */
const MAX_DISTANCE = 3;

/** A path of the request with the word that texts and entities name it by. */
export interface NamedPath {
  path: string;
  word: string;
}

export interface NamingItem {
  path: string;
  work_id: string;
  title: string;
  state: string;
  holder: string | null;
  fence: number | null;
}

export interface FoundDependant {
  path: string;
  kind: 'graph' | 'fact' | 'work';
  ref: string;
  how: string;
  distance: number;
}

/** What names a path, and what depends on it, of the open unit of work's tenant. */
@Injectable()
export class PreflightStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Open items whose title or text has the word; whose lease is over is held by nobody. */
  listWork(named: readonly NamedPath[]): Promise<NamingItem[]> {
    return this.ask(
      `select n.path, i.work_id, i.title, case when l.live then i.state when i.state = 'in_progress' and i.lease_fence is not null then 'ready' else i.state end as state,
         case when l.live then i.lease_holder end as holder, case when l.live then i.lease_fence::float8 end as fence
       from work_item i cross join lateral (select coalesce(i.lease_expires_at > clock_timestamp(), false) as live) l
         join named n on strpos(i.title || ' ' || i.body, n.word) > 0
       where i.tenant_id = $1 and i.state not in ('done', 'cancelled') order by n.path, i.priority, i.created_at, i.work_id limit $4`,
      named,
    );
  }

  /** Entities with edges that lead to it or to what is below it, whichever their kinds; breadth first. */
  listEntities(named: readonly NamedPath[]): Promise<FoundDependant[]> {
    return this.ask(
      `, reached (path, kind, id, how, distance) as (
         select n.path, e.from_kind, e.from_id, e.edge_kind || ' ' || e.to_kind || ':' || e.to_id, 1
         from named n join graph_edge e on e.tenant_id = $1 and not e.is_deleted
           and (e.to_id = n.word or (e.to_id >= n.word || '/' and e.to_id < n.word || '0'))
         union
         select r.path, e.from_kind, e.from_id, e.edge_kind || ' ' || e.to_kind || ':' || e.to_id, r.distance + 1
         from reached r join graph_edge e on e.tenant_id = $1 and e.to_kind = r.kind and e.to_id = r.id and not e.is_deleted
         where r.distance < ${MAX_DISTANCE}
       ) select path, 'graph' as kind, kind || ':' || id as ref, how, distance from reached limit $4`,
      named,
    );
  }

  /** Current facts that everybody sees, of the entity `file:<path>` or `path:<path>`. */
  listFacts(named: readonly NamedPath[]): Promise<FoundDependant[]> {
    return this.ask(
      `select n.path, 'fact' as kind, f.fact_id::text as ref, f.entity || ' ' || f.key as how, 1 as distance
       from named n join fact_head h on h.tenant_id = $1 and h.visibility = 0 and h.entity_start in (left('file:' || n.word, 200), left('path:' || n.word, 200))
         join fact f on f.tenant_id = $1 and f.seq = h.seq
       where f.entity in ('file:' || n.word, 'path:' || n.word) and not f.tombstone and f.deleted_at is null
       order by n.path, f.entity, f.key limit $4`,
      named,
    );
  }

  /** Open items that wait for those that name a path. @param items their ids, each under its path */
  listWaiting(items: readonly { path: string; work_id: string }[]): Promise<FoundDependant[]> {
    return this.ask(
      `, waiting (path, work_id, blocker_id, distance) as (
         select n.path, b.work_id, b.blocker_id, 1 from named n join work_blocker b on b.tenant_id = $1 and b.blocker_id = n.word
         union
         select w.path, b.work_id, b.blocker_id, w.distance + 1 from waiting w join work_blocker b on b.tenant_id = $1 and b.blocker_id = w.work_id
         where w.distance < ${MAX_DISTANCE}
       ) select w.path, 'work' as kind, i.work_id as ref, 'waits for ' || w.blocker_id as how, w.distance
       from waiting w join work_item i on i.tenant_id = $1 and i.work_id = w.work_id where i.state not in ('done', 'cancelled') limit $4`,
      items.map(({ path, work_id }) => ({ path, word: work_id })),
    );
  }

  private async ask<T>(sql: string, named: readonly NamedPath[]): Promise<T[]> {
    if (named.length === 0) return [];
    return this.tenancy.query<T>(
      `with recursive named (path, word) as materialized (select * from unnest($2::text[], $3::text[])) ${sql}`,
      [this.tenancy.tenant, named.map(({ path }) => path), named.map(({ word }) => word), MAX_FOUND + 1],
    );
  }
}
