import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tenants that can be suspended and deleted: their state, who hears of a change, what a deleted one shares, and the erasure of its rows
 * (docs/decisions/0135).
 */
export class ManageTenants1795404000000 implements MigrationInterface {
  name = 'ManageTenants1795404000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(STATES);
    await runner.query(bundlesOnSale('and exists (select from registered_tenant r where r.name = bundle.tenant_id)'));
    await runner.query(CREDENTIALS);
    await runner.query(ERASURE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(WITHOUT_ERASURE);
    await runner.query(`
      drop function svc_authenticate_key(text, bytea), svc_authenticate_session(text, bytea), svc_authenticate_agent(uuid, bytea),
        svc_find_tenant(text), svc_lower_tier(text, text);
    `);
    await runner.query(bundlesOnSale(''));
    await runner.query(`
      drop trigger announce_change on tenant;
      drop trigger note_state on tenant;
      drop function svc_announce_tenant(), svc_note_tenant_state();
      alter table tenant drop column state, drop column state_since, drop column state_reason, drop column erase_after,
        drop column erasure_began_at, drop column erased_at, drop column erased_clearing;
    `);
  }
}

const STATES = `
  alter table tenant
    add column state text not null default 'active' check (state in ('active', 'suspended', 'deleted')),
    add column state_since timestamptz not null default now(),
    add column state_reason text check (length(state_reason) between 1 and 2000),
    -- Of a deleted tenant: from when its rows are erased; when that began, after which nothing brings it back; when none was left.
    add column erase_after timestamptz,
    add column erasure_began_at timestamptz,
    add column erased_at timestamptz,
    -- What its ledger owed other tenants at that time: over all tenants it sums to zero.
    add column erased_clearing bigint,
    add check ((state = 'deleted') = (erase_after is not null)),
    add check (erasure_began_at is null or state = 'deleted'),
    add check (erased_at is null or erasure_began_at is not null),
    add check ((erasure_began_at is null) = (erased_clearing is null)),
    add check (tenant_id <> 'svc-discovery' or state = 'active');
  alter table tenant no force row level security;
  update tenant set state_since = created_at;
  alter table tenant force row level security;

  create function svc_announce_tenant() returns trigger language plpgsql as $$
    begin
      perform pg_notify('svc_tenant_changed', old.tenant_id);
      return null;
    end $$;
  create trigger announce_change after delete or update of tenant_id, tier, state on tenant
    for each row execute function svc_announce_tenant();

  create function svc_note_tenant_state() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
      if new.state = 'deleted' then
        delete from registered_tenant where name = new.tenant_id;
      else
        insert into registered_tenant (name) values (new.tenant_id) on conflict do nothing;
      end if;
      return null;
    end $$;
  create trigger note_state after update of state on tenant
    for each row when (old.state <> new.state) execute function svc_note_tenant_state();
`;

const bundlesOnSale = (condition: string): string => `
  alter policy shared_rows on bundle using (
    nullif(current_setting('svc.tenant_id', true), '') is not null and status = 'published' ${condition});
`;

const CREDENTIALS = `
  create function svc_lower_tier(one text, other text) returns text
    language sql immutable parallel safe as $$
      select (array['free', 'starter', 'pro', 'team'])[least(
        array_position(array['free', 'starter', 'pro', 'team'], one), array_position(array['free', 'starter', 'pro', 'team'], other))]
    $$;

  create function svc_authenticate_key(wanted_tenant text, wanted_hash bytea)
    returns table (key_id uuid, prefix text, key_hash bytea, tier text, expires_at timestamptz, state text)
    language plpgsql as $$
        declare
          wanted_lookup bytea := svc_key_lookup(wanted_hash);
        begin
          perform set_config('svc.tenant_id', wanted_tenant, true);
          return query
            select k.key_id, k.prefix, k.key_hash, t.tier, k.expires_at, t.state from api_key k join tenant t using (tenant_id)
            where k.lookup = wanted_lookup and k.tenant_id = wanted_tenant and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > clock_timestamp());
        end $$;
  revoke execute on function svc_authenticate_key(text, bytea) from public;
  grant execute on function svc_authenticate_key(text, bytea) to svc_app;

  create function svc_authenticate_session(wanted_tenant text, wanted_hash bytea)
    returns table (session_id uuid, principal text, auth_type text, expires_at timestamptz, key_prefix text,
      seat_id uuid, seat_role text, seat_email text, tier text, state text)
    language plpgsql as $$
        begin
          perform set_config('svc.tenant_id', wanted_tenant, true);
          return query
            select s.session_id, s.principal, s.auth_type, s.expires_at, k.prefix, s.seat_id, e.role, e.user_email, t.tier,
              t.state
            from session s join tenant t using (tenant_id)
              left join api_key k on k.tenant_id = s.tenant_id and k.key_id = s.key_id
              left join seat e on e.tenant_id = s.tenant_id and e.seat_id = s.seat_id
            where s.tenant_id = wanted_tenant and s.session_hash = wanted_hash and s.ended_at is null and s.expires_at > now()
              and (k.key_id is null or k.revoked_at is null) and (e.seat_id is null or e.status = 'active');
        end $$;
  revoke execute on function svc_authenticate_session(text, bytea) from public;
  grant execute on function svc_authenticate_session(text, bytea) to svc_app;

  create function svc_authenticate_agent(wanted_agent uuid, wanted_hash bytea)
    returns table (expires_at timestamptz, sponsor_tenant_id text, tier text, state text)
    language plpgsql as $$
        declare
          known agent;
        begin
          perform set_config('svc.tenant_id', 'svc-discovery', true);
          select a.* into known from agent a
            where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.token_hash = wanted_hash
              and a.ended_at is null and a.expires_at > now();
          if known.agent_id is null then return; end if;
          perform set_config('svc.tenant_id', coalesce(known.sponsor_tenant_id, known.tenant_id), true);
          return query
            select known.expires_at, known.sponsor_tenant_id, svc_lower_tier(t.tier, known.sponsor_tier), t.state from tenant t
            where t.tenant_id = coalesce(known.sponsor_tenant_id, known.tenant_id);
        end $$;
  revoke execute on function svc_authenticate_agent(uuid, bytea) from public;
  grant execute on function svc_authenticate_agent(uuid, bytea) to svc_app;

  create function svc_find_tenant(wanted_tenant text) returns table (state text)
    language plpgsql as $$
        begin
          perform set_config('svc.tenant_id', wanted_tenant, true);
          return query select t.state from tenant t where t.tenant_id = wanted_tenant;
        end $$;
  revoke execute on function svc_find_tenant(text) from public;
  grant execute on function svc_find_tenant(text) to svc_app;
`;

/** The owner may delete from every table; forced row-level security lets it reach the rows that are being erased alone. */
const ERASURE = `
  do $$
  declare
    target regclass;
  begin
    for target in
      select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    loop
      execute format(
        'create policy erased_rows on %s to current_user using (tenant_id = nullif(current_setting(''svc.erased_tenant'', true), ''''))', target);
    end loop;
  end $$;

  create or replace function svc_secure_table(target regclass) returns void language plpgsql as $$
        begin
          execute format('alter table %s enable row level security', target);
          execute format('alter table %s force row level security', target);
          execute format(
            'create policy tenant_rows on %s to svc_app using (tenant_id = nullif(current_setting(''svc.tenant_id'', true), '''')) '
            'with check (tenant_id = nullif(current_setting(''svc.tenant_id'', true), ''''))', target);
          execute format('create policy operator_rows on %s to svc_operator using (true) with check (true)', target);
          execute format(
            'create policy erased_rows on %s to current_user using (tenant_id = nullif(current_setting(''svc.erased_tenant'', true), ''''))', target);
          perform svc_grant_table(target);
        end $$;

  create function svc_erase_rows(wanted_tenant text, target regclass, at_most int) returns int
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
    declare
      condition text := case target
        when 'receipt'::regclass then 'r.stream <> ''tenant'''
        when 'receipt_head'::regclass then 'r.stream <> ''tenant'''
        when 'outbox_event'::regclass then 'r.kind <> ''tenant.erased'''
        else 'true' end;
      erased int;
    begin
      if target = 'tenant'::regclass or not exists (
        select from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
        where c.oid = target and c.relnamespace = 'public'::regnamespace and c.relkind = 'r') then
        raise exception '% is no table of tenants'' rows', target using errcode = 'invalid_parameter_value';
      end if;
      perform set_config('svc.erased_tenant', wanted_tenant, true);
      if not exists (select from tenant t where t.tenant_id = wanted_tenant and t.state = 'deleted' and t.erasure_began_at is not null) then
        raise exception 'the erasure of tenant % has not begun', wanted_tenant using errcode = 'object_not_in_prerequisite_state';
      end if;
      select coalesce(condition || string_agg(format(' and not exists (select from %s o where %s)', target, (
          select string_agg(format('o.%I = r.%I', child.attname, parent.attname), ' and ')
          from unnest(k.conkey, k.confkey) as pair (child_no, parent_no)
            join pg_attribute child on child.attrelid = target and child.attnum = pair.child_no
            join pg_attribute parent on parent.attrelid = target and parent.attnum = pair.parent_no)), ''), condition)
        into condition from pg_constraint k where k.conrelid = target and k.confrelid = target and k.contype = 'f';
      execute format('delete from %s where ctid = any(array(select r.ctid from %s r where r.tenant_id = $1 and %s limit $2))',
        target, target, condition) using wanted_tenant, at_most;
      get diagnostics erased = row_count;
      perform set_config('svc.erased_tenant', '', true);
      return erased;
    end $$;
  revoke execute on function svc_erase_rows(text, regclass, int) from public;
  grant execute on function svc_erase_rows(text, regclass, int) to svc_operator;
`;

const WITHOUT_ERASURE = `
  drop function svc_erase_rows(text, regclass, int);
  create or replace function svc_secure_table(target regclass) returns void language plpgsql as $$
  begin
    execute format('alter table %s enable row level security', target);
    execute format('alter table %s force row level security', target);
    execute format(
      'create policy tenant_rows on %s to svc_app using (tenant_id = nullif(current_setting(''svc.tenant_id'', true), '''')) '
      'with check (tenant_id = nullif(current_setting(''svc.tenant_id'', true), ''''))', target);
    execute format('create policy operator_rows on %s to svc_operator using (true) with check (true)', target);
    perform svc_grant_table(target);
  end $$;
  do $$
  declare
    target regclass;
  begin
    for target in select p.polrelid::regclass from pg_policy p where p.polname = 'erased_rows' loop
      execute format('drop policy erased_rows on %s', target);
    end loop;
  end $$;
`;
