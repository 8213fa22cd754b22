import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents that registered themselves, their sponsors, and what stands between them and the tenants (D15). */
export class CreateAgents1795263000000 implements MigrationInterface {
  name = 'CreateAgents1795263000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The discovery tenant is for agents alone: nobody else can ever act in it.
      alter table api_key add constraint api_key_not_discovery check (tenant_id <> 'svc-discovery');
      alter table seat add constraint seat_not_discovery check (tenant_id <> 'svc-discovery');

      create table agent (
        tenant_id text not null references tenant check (tenant_id = 'svc-discovery'),
        agent_id uuid not null,
        token_hash bytea not null check (length(token_hash) = 32),
        framework text not null,
        display_name text,
        callback_url text,
        fingerprint text,
        registered_at timestamptz not null default now(),
        expires_at timestamptz not null,
        -- Queries of the UTC day of the last one.
        query_day date not null default (now() at time zone 'utc')::date,
        day_queries integer not null default 0 check (day_queries >= 0),
        sponsor_tenant_id text references tenant check (sponsor_tenant_id <> 'svc-discovery'),
        sponsor_tier text check (sponsor_tier in ('starter', 'pro', 'team')),
        sponsored_at timestamptz,
        sponsored_by text,
        ended_at timestamptz,
        ended_by text,
        end_reason text,
        primary key (tenant_id, agent_id),
        check (num_nulls(sponsor_tenant_id, sponsor_tier, sponsored_at, sponsored_by) in (0, 4)),
        check ((ended_at is null) = (ended_by is null))
      );
      create index agent_sponsor on agent (sponsor_tenant_id, sponsored_at, agent_id) where sponsor_tenant_id is not null;
      select svc_secure_table('agent');
      -- A sponsor sees its agents; it changes them by the functions below alone.
      create policy sponsor_rows on agent for select to svc_app
        using (sponsor_tenant_id = nullif(current_setting('svc.tenant_id', true), ''));

      create function svc_announce_agent() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_agent_changed', old.agent_id::text);
        return null;
      end $$;
      create trigger announce_change after update of sponsor_tenant_id, ended_at, expires_at or delete on agent
        for each row execute function svc_announce_agent();

      -- The end of an agent is the end of its principal in the tenant it acts in.
      create function svc_end_agent_principal() returns trigger language plpgsql as $$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
        acts_in text := coalesce(new.sponsor_tenant_id, new.tenant_id);
      begin
        perform set_config('svc.tenant_id', acts_in, true);
        insert into principal_end (tenant_id, principal, reason) values (acts_in, 'agent:' || new.agent_id, 'agent released');
        perform set_config('svc.tenant_id', entered, true);
        return null;
      end $$;
      create trigger end_principal after update of ended_at on agent
        for each row when (old.ended_at is null and new.ended_at is not null) execute function svc_end_agent_principal();

      -- One round trip for the caller guard: enters the discovery tenant, then the sponsor's, for this statement's transaction alone.
      create function svc_find_agent(wanted_agent uuid, wanted_hash bytea)
        returns table (expires_at timestamptz, sponsor_tenant_id text, tier text) language plpgsql as $$
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
          select known.expires_at, known.sponsor_tenant_id, t.tier from tenant t
          where t.tenant_id = coalesce(known.sponsor_tenant_id, known.tenant_id);
      end $$;
      grant execute on function svc_find_agent(uuid, bytea) to svc_app;

      -- What an agent that still acts has left, in one round trip: for every answer to it. With a hash, only where it is that of its bearer.
      create function svc_agent_standing(wanted_agent uuid, wanted_hash bytea)
        returns table (sponsor_tenant_id text, sponsored_at timestamptz, credits bigint, queries_today integer) language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        return query
          select a.sponsor_tenant_id, a.sponsored_at, coalesce(l.balance, 0),
            case when a.query_day = (now() at time zone 'utc')::date then a.day_queries else 0 end
          from agent a left join ledger_account l on l.tenant_id = a.tenant_id and l.account_id = 'agent:' || a.agent_id
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and (wanted_hash is null or a.token_hash = wanted_hash)
            and a.ended_at is null and a.expires_at > now();
      end $$;
      grant execute on function svc_agent_standing(uuid, bytea) to svc_app;

      -- The first tenant wins; whoever comes later is told what it found. Called in the sponsor's unit of work and gives it back as it was.
      create function svc_sponsor_agent(wanted_agent uuid, sponsor text, wanted_tier text, acting text)
        returns table (claimed boolean, sponsor_tenant_id text, sponsor_tier text, sponsored_at timestamptz, is_over boolean) language plpgsql as $$
      declare
        won boolean;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        update agent a set sponsor_tenant_id = sponsor, sponsor_tier = wanted_tier, sponsored_at = now(), sponsored_by = acting
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.sponsor_tenant_id is null
            and a.ended_at is null and a.expires_at > now();
        won := found;
        return query
          select won, a.sponsor_tenant_id, a.sponsor_tier, a.sponsored_at, a.ended_at is not null or a.expires_at <= now() from agent a
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent;
        perform set_config('svc.tenant_id', sponsor, true);
      end $$;
      grant execute on function svc_sponsor_agent(uuid, text, text, text) to svc_app;

      -- Ends an agent of this sponsor, once. Called in the sponsor's unit of work and gives it back as it was.
      create function svc_release_agent(wanted_agent uuid, sponsor text, acting text, why text) returns boolean language plpgsql as $$
      declare
        ended boolean;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        update agent a set ended_at = now(), ended_by = acting, end_reason = why
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.sponsor_tenant_id = sponsor and a.ended_at is null;
        ended := found;
        perform set_config('svc.tenant_id', sponsor, true);
        return ended;
      end $$;
      grant execute on function svc_release_agent(uuid, text, text, text) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table agent cascade;
      drop function svc_find_agent(uuid, bytea), svc_agent_standing(uuid, bytea), svc_sponsor_agent(uuid, text, text, text), svc_release_agent(uuid, text, text, text),
        svc_announce_agent(), svc_end_agent_principal();
      alter table seat drop constraint seat_not_discovery;
      alter table api_key drop constraint api_key_not_discovery;
    `);
  }
}
