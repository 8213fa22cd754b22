import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Watches, what each of them rests on, and their alerts. */
export class CreateWatches1795266100000 implements MigrationInterface {
  name = 'CreateWatches1795266100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table watch (
        tenant_id text not null references tenant,
        watch_id uuid not null,
        principal text not null,
        agent_id text not null,
        target_type text not null check (target_type in ('answer', 'artifact', 'document', 'query')),
        target_id text not null,
        -- What an artifact turned out to be; the target type itself otherwise.
        resolved_type text not null check (resolved_type in ('answer', 'chunk', 'document', 'query')),
        -- The version of the answer or document that the last alert or the creation left it at.
        target_version int,
        query jsonb,
        note text,
        created_at timestamptz not null default now(),
        -- What had happened by then raises no alert; null after the database was restored.
        created_snapshot pg_snapshot,
        position bigint generated always as identity,
        ended_at timestamptz,
        ended_by text,
        primary key (tenant_id, watch_id)
      );
      create unique index watch_once on watch (tenant_id, principal, agent_id, target_type, md5(target_id)) where ended_at is null;
      create index watch_list on watch (tenant_id, position);
      create index watch_target on watch (tenant_id, resolved_type, md5(target_id)) where ended_at is null;
      create index watch_queries on watch (watch_id) where resolved_type = 'query' and ended_at is null;
      select svc_secure_table('watch');

      -- The documents and passages a watch stands on. A document of another tenant may be among them; whether it can still be seen is asked anew each time.
      create table watch_source (
        tenant_id text not null,
        watch_id uuid not null,
        ordinal int not null,
        owner_tenant_id text not null,
        corpus_id text not null,
        doc_id text not null,
        -- Null: the whole document.
        chunk_id text,
        content_hash bytea,
        version int not null,
        -- Whether it was there, unchanged, when it was last looked at.
        stands boolean not null,
        primary key (tenant_id, watch_id, ordinal),
        foreign key (tenant_id, watch_id) references watch on delete cascade
      );
      create index watch_source_document on watch_source (owner_tenant_id, corpus_id, doc_id);
      select svc_secure_table('watch_source');

      -- Passages a watched query has found: each is told once.
      create table watch_seen (
        tenant_id text not null,
        watch_id uuid not null,
        passage bytea not null,
        primary key (tenant_id, watch_id, passage),
        foreign key (tenant_id, watch_id) references watch on delete cascade
      );
      select svc_secure_table('watch_seen');

      create table watch_alert (
        tenant_id text not null,
        watch_id uuid not null,
        alert_id uuid not null,
        event_id uuid not null,
        change text not null check (change in ('new_version', 'deleted', 'drifted', 'new_match')),
        body jsonb not null,
        occurred_at timestamptz not null,
        position bigint generated always as identity,
        primary key (tenant_id, watch_id, alert_id),
        -- One change raises one alert, however often it is looked at.
        unique (tenant_id, watch_id, event_id),
        foreign key (tenant_id, watch_id) references watch on delete cascade
      );
      create index watch_alert_list on watch_alert (tenant_id, watch_id, position);
      select svc_secure_table('watch_alert');

      -- A seat or agent that lost its right watches no more, and what its watches sent out ends with them. A key's watches are the tenant's own:
      -- rotating a key ends none; nor does a change between roles that may watch.
      create function svc_end_watches() returns trigger language plpgsql as $$
      begin
        if new.principal like 'key:%' or new.reason = 'role changed' and exists (
          select from seat s where s.tenant_id = new.tenant_id and 'seat:' || s.seat_id = new.principal and s.role <> 'viewer') then
          return null;
        end if;
        with ended as (
          update watch set ended_at = now(), ended_by = new.principal
          where tenant_id = new.tenant_id and principal = new.principal and ended_at is null returning watch_id
        )
        update webhook_endpoint e set deleted_at = now(), deleted_by = new.principal from ended
        where e.tenant_id = new.tenant_id and e.watch_id = ended.watch_id and e.deleted_at is null;
        return null;
      end $$;
      create trigger end_watches after insert on principal_end for each row execute function svc_end_watches();

      -- A restored database may count its transactions from lower than the rows it holds: without this, readers would wait at a line that is
      -- never passed. Everything that was restored moves below every new transaction; what was not yet delivered is delivered from its place on.
      create function svc_rebase_events() returns void language plpgsql as $$
      declare
        next_id xid8 := pg_snapshot_xmax(pg_current_snapshot());
      begin
        update outbox_cursor c set transaction = '3', position = coalesce((select min(e.position) - 1 from outbox_event e
          where (e.transaction, e.position) > (c.transaction, c.position) and e.transaction >= next_id), 9223372036854775807)
          where c.transaction >= next_id;
        update outbox_event set transaction = '3' where transaction >= next_id;
        update watch set created_snapshot = null where pg_snapshot_xmax(created_snapshot) > next_id;
        update webhook_endpoint set created_snapshot = null where pg_snapshot_xmax(created_snapshot) > next_id;
      end $$;
      grant execute on function svc_rebase_events() to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger end_watches on principal_end;
      drop function svc_end_watches(), svc_rebase_events();
      drop table watch_alert, watch_seen, watch_source, watch;
    `);
  }
}
