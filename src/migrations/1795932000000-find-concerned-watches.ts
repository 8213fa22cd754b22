import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The watches that events concern are found by a statement whose plan is kept. */
export class FindConcernedWatches1795932000000 implements MigrationInterface {
  name = 'FindConcernedWatches1795932000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CONCERNED_WATCHES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_concerned_watches(text[], uuid[])');
  }
}

/** As it was made first; functions/ has it as it is. */
const CONCERNED_WATCHES = `
  create function svc_concerned_watches(owners text[], events uuid[])
    returns table (tenant_id text, owner text, event_id uuid)
    language plpgsql set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
        #variable_conflict use_column
        begin
          return query
            with event as (
              select e.tenant_id as owner, e.event_id, e.kind, e.subject, e.data, e.transaction, e.position from outbox_event e
              join unnest(owners, events) n(tenant_id, event_id) using (tenant_id, event_id)
            ), concerned as (
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch_source s on s.owner_tenant_id = e.owner and s.corpus_id = e.data ->> 'corpusId' and s.doc_id = e.data ->> 'docId'
              join watch w on w.tenant_id = s.tenant_id and w.watch_id = s.watch_id and w.ended_at is null
              where e.kind in ('document.indexed', 'document.withdrawn')
              union all
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch w on w.resolved_type = 'query' and w.ended_at is null
                and (w.tenant_id = e.owner or (w.query ->> 'includeCommons')::boolean and (
                  e.data ->> 'shareability' = 'public_safe'
                  or e.data ->> 'shareability' = 'entitled_only' and exists (
                    select from entitlement t where t.tenant_id = w.tenant_id and t.publisher_tenant_id = e.owner and t.corpus_id = e.data ->> 'corpusId')))
                and (w.query -> 'corpusIds' = '[]' or w.query -> 'corpusIds' ? (e.data ->> 'corpusId'))
              where e.kind = 'document.indexed'
                and ((e.data ->> 'changedCount')::int > 0 or e.data ? 'previousShareability' and e.data ->> 'previousShareability' <> e.data ->> 'shareability')
              union all
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch w on w.tenant_id = e.owner and w.resolved_type = 'query' and w.ended_at is null and (w.query ->> 'includeCommons')::boolean
                and (w.query -> 'corpusIds' = '[]' or w.query -> 'corpusIds' ? (e.data ->> 'corpusId'))
              where e.kind = 'entitlement.granted'
              union all
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch_source s on s.tenant_id = e.owner and s.owner_tenant_id = e.data ->> 'publisher' and s.corpus_id = e.data ->> 'corpusId'
              join watch w on w.tenant_id = s.tenant_id and w.watch_id = s.watch_id and w.ended_at is null
              where e.kind = 'entitlement.ended'
              union all
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch_source s on s.owner_tenant_id = e.owner and s.tenant_id <> e.owner
              join watch w on w.tenant_id = s.tenant_id and w.watch_id = s.watch_id and w.ended_at is null
              where e.kind = 'tenant.deleted'
              union all
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch w on w.tenant_id = e.owner and w.resolved_type = 'answer' and md5(w.target_id) = md5(e.subject) and w.target_id = e.subject and w.ended_at is null
              where e.kind = 'answer.recorded'
              union all
              select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
              from event e
              join watch w on w.tenant_id = e.owner and w.resolved_type = e.data -> 'subject' ->> 'type' and md5(w.target_id) = md5(e.data -> 'subject' ->> 'id')
                and w.target_id = e.data -> 'subject' ->> 'id' and w.ended_at is null
              where e.kind = 'proof.completed' and e.data ->> 'verdict' <> 'holds'
            )
            select tenant_id, owner, event_id from concerned c join tenant t using (tenant_id)
            where t.tier <> 'free' and not coalesce(pg_visible_in_snapshot(c.transaction, c.created_snapshot), false)
            group by tenant_id, owner, event_id, c.transaction, c.position order by tenant_id, c.transaction, c.position;
        end $$;
  grant execute on function svc_concerned_watches(text[], uuid[]) to svc_operator;
`;
