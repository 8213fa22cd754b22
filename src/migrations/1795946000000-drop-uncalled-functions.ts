import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Functions that no program calls which the schema takes: the last that did knew no migration after 1795811000000, and
 * 1795926000000 is the oldest that is taken. The number stays, for nothing is taken from those.
 */
export class DropUncalledFunctions1795946000000 implements MigrationInterface {
  name = 'DropUncalledFunctions1795946000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_find_key(text, bytea), svc_find_session(text, bytea), svc_find_agent(uuid, bytea),
        svc_retire_fact(text, bytea, uuid, text);
      update schema_compatibility set oldest_program = greatest(oldest_program, 1795926000000);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(UNCALLED);
  }
}

/** As they were last. */
const UNCALLED = `
  create function svc_find_key(wanted_tenant text, wanted_hash bytea)
    returns table (key_id uuid, prefix text, key_hash bytea, tier text, expires_at timestamptz)
    language plpgsql as $$
        declare
          wanted_lookup bytea := svc_key_lookup(wanted_hash);
        begin
          perform set_config('svc.tenant_id', wanted_tenant, true);
          return query
            select k.key_id, k.prefix, k.key_hash, t.tier, k.expires_at from api_key k join tenant t using (tenant_id)
            where k.lookup = wanted_lookup and k.tenant_id = wanted_tenant and t.state = 'active' and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > clock_timestamp());
        end $$;
  create function svc_find_session(wanted_tenant text, wanted_hash bytea)
    returns table (session_id uuid, principal text, auth_type text, expires_at timestamptz, key_prefix text,
      seat_id uuid, seat_role text, seat_email text, tier text)
    language plpgsql as $$
        begin
          perform set_config('svc.tenant_id', wanted_tenant, true);
          return query
            select s.session_id, s.principal, s.auth_type, s.expires_at, k.prefix, s.seat_id, e.role, e.user_email, t.tier
            from session s join tenant t using (tenant_id)
              left join api_key k on k.tenant_id = s.tenant_id and k.key_id = s.key_id
              left join seat e on e.tenant_id = s.tenant_id and e.seat_id = s.seat_id
            where s.tenant_id = wanted_tenant and s.session_hash = wanted_hash and t.state = 'active'
              and s.ended_at is null and s.expires_at > now()
              and (k.key_id is null or k.revoked_at is null) and (e.seat_id is null or e.status = 'active');
        end $$;
  create function svc_find_agent(wanted_agent uuid, wanted_hash bytea)
    returns table (expires_at timestamptz, sponsor_tenant_id text, tier text)
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
            select known.expires_at, known.sponsor_tenant_id, t.tier from tenant t
            where t.tenant_id = coalesce(known.sponsor_tenant_id, known.tenant_id) and t.state = 'active';
        end $$;
  create function svc_retire_fact(me text, of_chain bytea, tombstone_id uuid, deleted_by text) returns boolean
    language plpgsql set enable_seqscan = off as $$
    declare
      head fact_head;
      gone bigint;
    begin
      perform svc_enter_facts(me);
      update fact_head h set version = h.version + 1, supersedes = h.seq, seq = nextval('fact_seq'),
        stored_at = greatest(h.stored_at, date_trunc('milliseconds', clock_timestamp()))
        where h.tenant_id = me and h.chain = of_chain and h.records > 0 returning h.* into head;
      if not found then
        return false;
      end if;
      insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens,
          stored_at, tombstone, supersedes)
        select me, head.seq, tombstone_id, of_chain, head.version, f.visibility, f.owner, f.entity, f.key, '', deleted_by, f.confidence,
          f.horizon_class, 0, head.stored_at, true, head.supersedes
        from fact f where f.tenant_id = me and f.seq = head.supersedes;
      update fact f set deleted_at = head.stored_at, ends_at = least(f.ends_at, head.stored_at),
        superseded_by = coalesce(f.superseded_by, tombstone_id), superseded_at = coalesce(f.superseded_at, head.stored_at)
        -- All since the deletion before. Records in quarantine may stand between them, which its end finds deleted.
        where f.tenant_id = me and f.chain = of_chain and f.deleted_at is null and not f.tombstone;
      update fact_head h set records = 0 where h.tenant_id = me and h.chain = of_chain;
      perform svc_count_facts(me, '', head.visibility, -head.records, -1);
      if head.owner <> '' then
        perform svc_count_facts(me, head.owner, head.visibility, -head.records, -1);
      end if;
      insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, tombstone_id, 'fact.retired', f.fact_id, case head.visibility
          when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version, 'actor', deleted_by)
          else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
        from fact f where f.tenant_id = me and f.seq = head.supersedes;
      return true;
    end $$;
  grant execute on function svc_find_key(text, bytea), svc_find_session(text, bytea), svc_find_agent(uuid, bytea),
    svc_retire_fact(text, bytea, uuid, text) to svc_app;
`;
