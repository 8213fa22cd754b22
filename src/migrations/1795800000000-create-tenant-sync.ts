import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tenant sync: who syncs, every version that is alive, the content of those that the memory does not show, and what
 * changed since the index looked last (docs/decisions/0250).
 */
export class CreateTenantSync1795800000000 implements MigrationInterface {
  name = 'CreateTenantSync1795800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(FUNCTIONS);
    await runner.query(RIGHTS);
    for (const trigger of TRIGGERS) await runner.query(`create trigger ${trigger}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const trigger of TRIGGERS.toReversed()) {
      const [, name, table] = /^(\w+) .*? on (\w+) /.exec(trigger)!;
      await runner.query(`drop trigger ${name} on ${table}`);
    }
    await runner.query(`
      drop function svc_mark_sync(), svc_mark_sync_fact(), svc_mark_sync_content(), svc_enter_sync(), svc_enter_holds(),
        svc_blank_sync(text, bytea[]), svc_sync_key(text, text[]);
      drop table sync_change, sync_content, sync_record, sync_tenant;
    `);
  }
}

const TABLES = `
  create table sync_tenant (
    tenant_id text not null primary key,
    category text not null default 'personal' constraint sync_tenant_category_check check (category in ('personal', 'team', 'org')),
    owner_id text not null,
    membership_epoch numeric(20) not null default 1
      constraint sync_tenant_epoch_check check (membership_epoch between 0 and 18446744073709551615),
    -- Who writes here, in vectors: a new one when the log begins a new epoch. All that were, the last one first.
    origins text[] not null check (cardinality(origins) > 0),
    log_epoch text not null,
    -- Writes of the first of the origins so far.
    writes bigint not null default 0,
    -- Of the last change of the index, and of each collection.
    position bigint not null default 0,
    positions jsonb not null default '{}',
    -- Facts up to it are in the index.
    fact_seq bigint not null default 0,
    enabled_at timestamptz not null default now()
  );
  select svc_secure_table('sync_tenant');

  -- Every version that is alive. A record has several where writes of different origins met.
  create table sync_record (
    tenant_id text not null,
    -- svc_sync_key of target and parts.
    key bytea not null check (length(key) = 32),
    digest bytea not null check (length(digest) = 32),
    target text not null,
    deleted boolean not null,
    -- What it travels in.
    collection text not null generated always as (case when deleted then 'tombstones' else target end) stored,
    parts text[] not null,
    -- The entities that it is of; of a hold its prefixes.
    names text[] not null,
    vector jsonb not null,
    writer text not null,
    writer_seq bigint not null,
    content_digest bytea,
    position bigint not null,
    state text not null constraint sync_record_state_check check (state in ('applied', 'held', 'conflict')),
    -- Of what the tables of the memory had of the record when it was looked at last; null: nothing.
    local_digest bytea,
    primary key (tenant_id, key, digest)
  );
  create index sync_record_order on sync_record (tenant_id, collection, key, digest);
  create index sync_record_position on sync_record (tenant_id, collection, position);
  create index sync_record_open on sync_record (tenant_id, state, key) where state <> 'applied';
  select svc_secure_table('sync_record');

  -- Content of versions that the tables of the memory do not have as their current state.
  create table sync_content (
    tenant_id text not null,
    key bytea not null,
    digest bytea not null,
    names text[] not null,
    content json not null,
    primary key (tenant_id, key, digest)
  );
  select svc_secure_table('sync_content');
  revoke update on sync_content from svc_app, svc_operator;
  select svc_pin_table('sync_content', 'r.names', '{content}');

  -- Records that changed since the index looked last.
  create table sync_change (
    tenant_id text not null,
    mark bigint not null generated always as identity,
    target text not null,
    parts text[] not null,
    primary key (tenant_id, mark)
  );
  select svc_secure_table('sync_change');
  revoke update on sync_change from svc_app, svc_operator;
`;

const RIGHTS = `
  revoke execute on function svc_mark_sync(), svc_mark_sync_fact(), svc_mark_sync_content(), svc_enter_sync(), svc_enter_holds(),
    svc_blank_sync(text, bytea[]), svc_sync_key(text, text[]) from public;
  grant execute on function svc_blank_sync(text, bytea[]), svc_sync_key(text, text[]) to svc_app, svc_operator;
`;

const marks = (table: string, args: string): string[] =>
  (['insert', 'update', 'delete'] as const).map(
    (what) =>
      `sync_${what} after ${what} on ${table} referencing ${what === 'delete' ? 'old' : 'new'} table as changed for each statement execute function svc_mark_sync(${args})`,
  );
const enters = (table: string, when = 'insert or update or delete'): string =>
  `sync_enter before ${when} on ${table} for each statement execute function svc_enter_sync()`;

/** After what is theirs each shares the lock, and then marks. */
const TRIGGERS: readonly string[] = [
  ...['graph_entity', 'graph_edge', 'relation', 'memory_case'].map((table) => enters(table)),
  enters('fact', 'delete'),
  enters('sync_content', 'delete'),
  'sync_enter before insert or update on legal_hold for each statement execute function svc_enter_holds()',
  ...marks('graph_entity', `'entities', 'array[r.kind, r.id]', 'true'`),
  ...marks('graph_edge', `'edges', 'array[r.from_kind, r.from_id, r.edge_kind, r.to_kind, r.to_id]', 'true'`),
  ...marks('relation', `'relations', 'array[r.from_id::text, r.edge_type, r.to_id::text]', 'true'`),
  ...marks('memory_case', `'cases', 'array[r.case_id::text]', 'true'`),
  ...marks('legal_hold', `'holds', 'array[r.hold_id::text]', 'true'`).filter(
    (trigger) => !trigger.startsWith('sync_delete'),
  ),
  ...marks('fact', `'facts', 'array[r.entity, r.key]', 'r.visibility = 0'`).filter((trigger) =>
    trigger.startsWith('sync_delete'),
  ),
  'sync_quarantine after update of quarantined on fact for each row when (old.quarantined is distinct from new.quarantined and new.visibility = 0) execute function svc_mark_sync_fact()',
  `sync_delete after delete on sync_content referencing old table as gone for each statement when (current_setting('svc.sync_moves', true) is distinct from 'on') execute function svc_mark_sync_content()`,
];

const FUNCTIONS = `
  -- Names a record of tenant sync: SHA-256 over its collection and id as canonical JSON (docs/formats/sync.md).
  create or replace function svc_sync_key(target text, parts text[]) returns bytea
    language sql immutable parallel safe as $$
      select sha256(convert_to(E'svc.sync.key/1\\n[' || to_json(target)::text
        || coalesce((select string_agg(',' || to_json(p.part)::text, '' order by p.place) from unnest(parts) with ordinality p (part, place)), '') || ']', 'UTF8'))
    $$;
  -- Before a statement changes what sync carries, its transaction shows that it writes: it shares the lock of
  -- svc_enter_facts until it ends, and what applies records of a peer waits for it (svc_settle_facts). One lock for all
  -- collections, so that no two writers wait for each other.
  create or replace function svc_enter_sync() returns trigger language plpgsql as $$
    begin
      perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
        'svc facts ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
      return null;
    end $$;
  -- Before a legal hold is placed or released, its transaction shares the lock that a placing takes alone: who takes it
  -- alone sees every change of holds committed, or none of it.
  create or replace function svc_enter_holds() returns trigger language plpgsql as $$
    begin
      perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
        'svc holds ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
      return null;
    end $$;
  -- Takes the digests of content out of versions of these records, and what is kept of it: the index finds each of them
  -- changed, and makes a version of what is there then.
  create or replace function svc_blank_sync(me text, keys bytea[]) returns void language plpgsql as $$
    begin
      perform set_config('svc.sync_moves', 'on', true);
      delete from public.sync_content c using public.sync_record r
        where r.tenant_id = me and r.key = any(keys) and c.tenant_id = me and c.key = r.key and c.digest = r.digest;
      perform set_config('svc.sync_moves', '', true);
      update public.sync_record r set local_digest = '\\x', content_digest = null,
          digest = case when r.deleted then r.digest else sha256(convert_to(gen_random_uuid()::text, 'UTF8')) end
        where r.tenant_id = me and r.key = any(keys) and exists (
          select from public.sync_record o where o.tenant_id = me and o.key = r.key and not o.deleted);
    end $$;
  -- Marks records of tenants that sync as changed, after a statement (\`changed\`). The arguments: the collection, an
  -- expression over r that gives the id, a condition. A tenant that does not sync pays one look. Rows that go other than
  -- by sync leave no digest of what they held: the index makes a deletion of such a record when it is used next.
  create or replace function svc_mark_sync() returns trigger language plpgsql as $$
    begin
      if not exists (select from changed c join public.sync_tenant s on s.tenant_id = c.tenant_id) then
        return null;
      end if;
      execute format('insert into public.sync_change (tenant_id, target, parts)
        select distinct r.tenant_id, %L, %s from changed r join public.sync_tenant s on s.tenant_id = r.tenant_id
          join public.tenant t on t.tenant_id = r.tenant_id and t.state <> ''deleted'' where %s', tg_argv[0], tg_argv[1], tg_argv[2]);
      if tg_op = 'DELETE' and current_setting('svc.sync_moves', true) is distinct from 'on' then
        execute format('select public.svc_blank_sync(g.tenant_id, array_agg(g.key)) from (
          select distinct r.tenant_id, public.svc_sync_key(%L, %s) as key from changed r where %s) g group by g.tenant_id', tg_argv[0], tg_argv[1], tg_argv[2]);
      end if;
      return null;
    end $$;
  -- A fact that an incident sets aside, or brings back, is looked at again: its seq is an old one.
  create or replace function svc_mark_sync_fact() returns trigger language plpgsql as $$
    begin
      insert into public.sync_change (tenant_id, target, parts)
        select new.tenant_id, 'facts', array[new.entity, new.key] from public.sync_tenant s where s.tenant_id = new.tenant_id;
      return null;
    end $$;
  -- Content of a version that goes other than by the index, which says so: the version is of no use without it.
  create or replace function svc_mark_sync_content() returns trigger language plpgsql as $$
    declare
      one record;
    begin
      for one in
        select g.tenant_id, array_agg(distinct r.key) as keys from gone g
          join public.tenant t on t.tenant_id = g.tenant_id and t.state <> 'deleted'
          join public.sync_record r on r.tenant_id = g.tenant_id and r.key = g.key and r.digest = g.digest group by 1
      loop
        insert into public.sync_change (tenant_id, target, parts)
          select distinct r.tenant_id, r.target, r.parts from public.sync_record r where r.tenant_id = one.tenant_id and r.key = any(one.keys);
        perform public.svc_blank_sync(one.tenant_id, one.keys);
      end loop;
      return null;
    end $$;
`;
