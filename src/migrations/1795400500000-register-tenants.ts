import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants that their first write registered, what is asked of a name before it is given away, and commons of registered tenants alone. */
export class RegisterTenants1795400500000 implements MigrationInterface {
  name = 'RegisterTenants1795400500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REGISTRY);
    await runner.query(HOLDINGS);
    await runner.query(
      sharedRows((table) => `and exists (select from registered_tenant r where r.name = ${table}.tenant_id)`),
    );
    await runner.query(REGISTER_HOLDERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sharedRows(() => ''));
    await runner.query(`
      drop trigger note_name on tenant;
      drop trigger announce_end on tenant;
      drop function svc_holds_data(text), svc_note_tenant(), svc_announce_tenant_end();
      drop table registered_tenant;
      alter table tenant drop column implicit;
    `);
  }
}

const REGISTRY = `
  -- Registered by a first write of the daemon: nobody created it, and it has no key.
  alter table tenant add column implicit boolean not null default false;

  -- The names of all tenants, for those who have to know whether there is another; what else stands in a tenant's row stays its own. No tenant_id, for
  -- these rows are nobody's. Read as a table: policies look at it row by row, for which a function is too slow.
  create table registered_tenant (
    name text primary key references tenant on delete cascade on update cascade
  );
  grant select on registered_tenant to svc_app, svc_operator;
  create function svc_note_tenant() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    insert into registered_tenant (name) values (new.tenant_id);
    return null;
  end $$;
  create trigger note_name after insert on tenant for each row execute function svc_note_tenant();

  create function svc_announce_tenant_end() returns trigger language plpgsql as $$
  begin
    perform pg_notify('svc_tenant_ended', old.tenant_id);
    return null;
  end $$;
  create trigger announce_end after delete or update of tenant_id on tenant
    for each row execute function svc_announce_tenant_end();
`;

const HOLDINGS = `
  -- Whether a row of any tenant table stands under this name, as far as the caller may see: the tenant itself, or the operator role.
  create function svc_holds_data(name text) returns boolean language plpgsql stable
    set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
  declare
    tenant_table regclass;
    held boolean;
  begin
    for tenant_table in
      select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.oid <> 'public.tenant'::regclass
    loop
      execute format('select exists (select from %s where tenant_id = $1)', tenant_table) into held using name;
      if held then
        return true;
      end if;
    end loop;
    return false;
  end $$;
  revoke execute on function svc_holds_data(text) from public;
  grant execute on function svc_holds_data(text) to svc_app, svc_operator;
`;

/** What a tenant sees of another's rows: shared passages, and the shards by which they are found. */
const sharedRows = (condition: (table: string) => string): string => `
  alter policy shared_rows on index_shard using (
    nullif(current_setting('svc.tenant_id', true), '') is not null and (
      shareability = 'public_safe'
      or shareability = 'entitled_only' and exists (
        select from entitlement e where e.publisher_tenant_id = index_shard.tenant_id and e.corpus_id = index_shard.corpus_id))
    ${condition('index_shard')});
  alter policy shared_rows on chunk using (
    retired_at is null and nullif(current_setting('svc.tenant_id', true), '') is not null and (
      shareability = 'public_safe'
      or shareability = 'entitled_only' and exists (
        select from entitlement e where e.publisher_tenant_id = chunk.tenant_id and e.corpus_id = chunk.corpus_id))
    ${condition('chunk')});
`;

/** Each leaves a row there for every tenant it ever wrote for: facts, entities, edges, relations; and receipts of all the rest. */
const HOLDERS = ['fact_head', 'graph_entity', 'graph_edge', 'relation', 'receipt_head'];

/** So that nothing becomes unreadable. The owner sees no tenant's rows while row-level security is forced on it as well. */
const REGISTER_HOLDERS = `
  alter table tenant no force row level security;
  insert into registered_tenant (name) select tenant_id from tenant;
  ${HOLDERS.map(
    (table) => `
  alter table ${table} no force row level security;
  with recursive holder(tenant_id) as (
    (select h.tenant_id from ${table} h order by h.tenant_id limit 1)
    union all
    select (select h.tenant_id from ${table} h where h.tenant_id > holder.tenant_id order by h.tenant_id limit 1)
    from holder where holder.tenant_id is not null)
  insert into tenant (tenant_id, tier, implicit)
    select tenant_id, 'free', tenant_id <> 'svc-discovery' from holder where length(tenant_id) between 1 and 120
    on conflict do nothing;
  alter table ${table} force row level security;`,
  ).join('\n')}
  alter table tenant force row level security;
`;
