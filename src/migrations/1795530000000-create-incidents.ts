import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Incident cases, and what was found to rest on something within one. */
export class CreateIncidents1795530000000 implements MigrationInterface {
  name = 'CreateIncidents1795530000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table incident (
        tenant_id text not null,
        incident_id uuid not null,
        title text not null,
        window_from timestamptz not null,
        window_to timestamptz check (window_to >= window_from),
        session_ids text[] not null default '{}',
        agent_ids text[] not null default '{}',
        entities text[] not null default '{}',
        notes json not null default '[]',
        severity text not null constraint incident_severity_check check (severity in ('low', 'medium', 'high', 'critical')),
        status text not null default 'open' constraint incident_status_check check (status in ('open', 'contained', 'closed')),
        version integer not null default 1 check (version > 0),
        receipt_id uuid not null,
        opened_by text not null,
        opened_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        closed_at timestamptz,
        primary key (tenant_id, incident_id)
      );
      select svc_secure_table('incident');
      revoke delete on incident from svc_app, svc_operator;

      -- A walk from one thing to all that rests on it. What was set aside by it stays so until undone_at.
      create table blast_radius (
        tenant_id text not null,
        radius_id uuid not null,
        incident_id uuid not null,
        root_kind text not null,
        root_key text[] not null,
        node_count integer not null,
        edge_count integer not null,
        counts json not null,
        state_root bytea not null,
        state_root_after bytea,
        walked_by text not null,
        walked_at timestamptz not null default now(),
        applied_by text,
        applied_at timestamptz,
        undone_by text,
        undone_at timestamptz,
        primary key (tenant_id, radius_id),
        foreign key (tenant_id, incident_id) references incident
      );
      create index blast_radius_incident on blast_radius (tenant_id, incident_id, radius_id);
      select svc_secure_table('blast_radius');
      revoke delete on blast_radius from svc_app, svc_operator;

      create table blast_radius_node (
        tenant_id text not null,
        radius_id uuid not null,
        position integer not null,
        kind text not null,
        key text[] not null,
        -- Null: nothing leads to it; it is aside because a part of it is.
        depth integer,
        via_edge text,
        via_position integer,
        set_aside boolean not null default false,
        primary key (tenant_id, radius_id, position),
        foreign key (tenant_id, radius_id) references blast_radius
      );
      create index blast_radius_node_kind on blast_radius_node (tenant_id, radius_id, kind, position);
      -- Who else holds a thing aside; names can be longer than an ordered index takes.
      create index blast_radius_node_aside on blast_radius_node using hash (key) where set_aside;
      select svc_secure_table('blast_radius_node');
      revoke delete on blast_radius_node from svc_app, svc_operator;

      create table blast_radius_edge (
        tenant_id text not null,
        radius_id uuid not null,
        position integer not null,
        from_position integer not null,
        edge text not null,
        to_position integer not null,
        primary key (tenant_id, radius_id, position),
        foreign key (tenant_id, radius_id) references blast_radius
      );
      select svc_secure_table('blast_radius_edge');
      revoke update, delete on blast_radius_edge from svc_app, svc_operator;

      -- The version that is set aside: as long as it is the current one, the document is not found.
      alter table document add column quarantined_version integer;
      -- Set aside: deleted_at is -infinity then, so that it was there at no time.
      alter table fact add column quarantined boolean not null default false;
    `);
    for (const create of [INCIDENT_OPEN, STATE_ROOT, QUARANTINE_FACTS, RELEASE_FACTS]) await runner.query(create);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_release_facts(text, uuid[], uuid[]);
      drop function svc_quarantine_facts(text, uuid[]);
      drop function svc_state_root(text);
      drop function svc_incident_open(text, uuid);
      alter table fact drop column quarantined;
      alter table document drop column quarantined_version;
      drop table blast_radius_edge, blast_radius_node, blast_radius, incident;
    `);
  }
}

/** As they were made first; functions/ has them as they are. */
const INCIDENT_OPEN = `
  create function svc_incident_open(me text, wanted uuid) returns boolean language sql stable as $$
    select exists (select from incident i where i.tenant_id = me and i.incident_id = wanted and i.status <> 'closed')
  $$;
`;

const STATE_ROOT = `
  create function svc_state_root(me text) returns bytea language sql stable as $$
    select sha256(coalesce(string_agg(l.line, ''::bytea order by l.part, l.line), ''::bytea))
    from (
      select 1 as part, sha256(convert_to('document' || jsonb_build_array(d.corpus_id, d.doc_id, v.version, encode(v.content_hash, 'hex'))::text, 'UTF8')) as line
      from document d
      join document_version v on v.tenant_id = d.tenant_id and v.corpus_id = d.corpus_id and v.doc_id = d.doc_id and v.version = d.current_version
      where d.tenant_id = me and d.current_version is distinct from d.quarantined_version
      union all
      select 2, sha256(convert_to('fact' || jsonb_build_array(f.fact_id, f.version, encode(sha256(convert_to(f.value, 'UTF8')), 'hex'), h.records)::text, 'UTF8'))
      from fact_head h join fact f on f.tenant_id = h.tenant_id and f.seq = h.seq
      where h.tenant_id = me and h.records > 0
    ) l
  $$;
`;

const QUARANTINE_FACTS = `
  create function svc_quarantine_facts(me text, wanted uuid[]) returns uuid[]
  language plpgsql set enable_seqscan = off as $$
  declare
    chains bytea[];
    head fact_head;
    is_last boolean;
    gone uuid[];
    all_gone uuid[] := '{}';
  begin
    perform svc_enter_facts(me);
    select array_agg(distinct f.chain order by f.chain) into chains
      from unnest(wanted) w(fact_id) join fact f on f.tenant_id = me and f.fact_id = w.fact_id and f.deleted_at is null and not f.tombstone;
    -- In the order in which writers take them.
    for head in select h.* from unnest(chains) with ordinality c(chain, place)
      join fact_head h on h.tenant_id = me and h.chain = c.chain order by c.place for no key update of h
    loop
      is_last := exists (select from fact f where f.tenant_id = me and f.seq = head.seq and f.fact_id = any (wanted));
      with withheld as (
        update fact f set quarantined = true, deleted_at = '-infinity'
        where f.tenant_id = me and f.chain = head.chain and f.deleted_at is null and not f.tombstone
          and (is_last or f.fact_id = any (wanted))
        returning f.fact_id
      )
      select coalesce(array_agg(w.fact_id), '{}') into gone from withheld w;
      if cardinality(gone) > 0 then
        update fact_head h set records = h.records - cardinality(gone) where h.tenant_id = me and h.chain = head.chain;
        perform svc_count_facts(me, '', head.visibility, -cardinality(gone), -is_last::int);
        if head.owner <> '' then
          perform svc_count_facts(me, head.owner, head.visibility, -cardinality(gone), -is_last::int);
        end if;
        all_gone := all_gone || gone;
      end if;
    end loop;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, gen_random_uuid(), 'fact.quarantined', f.fact_id, case f.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.fact_id = any (all_gone) order by f.seq;
    return all_gone;
  end $$;
`;

const RELEASE_FACTS = `
  create function svc_release_facts(me text, wanted uuid[], kept uuid[]) returns int
  language plpgsql set enable_seqscan = off as $$
  declare
    head fact_head;
    back int;
    is_last boolean;
    total int := 0;
    seqs bigint[];
    all_back bigint[] := '{}';
  begin
    perform svc_enter_facts(me);
    for head in select h.* from fact_head h where h.tenant_id = me and h.chain in (
        select f.chain from unnest(wanted) w(fact_id) join fact f on f.tenant_id = me and f.fact_id = w.fact_id and f.quarantined)
      order by h.chain for no key update
    loop
      continue when exists (select from fact f where f.tenant_id = me and f.seq = head.seq and f.quarantined and f.fact_id = any (kept));
      with released as (
        update fact f set quarantined = false, deleted_at = s.ended_at,
          superseded_by = coalesce(f.superseded_by, s.next_id), superseded_at = coalesce(f.superseded_at, s.next_at),
          ends_at = least(f.ends_at, case when f.superseded_by is null then s.next_begins end, s.ended_at)
        from (
          select q.seq, n.fact_id as next_id, n.stored_at as next_at, coalesce(n.valid_from, n.stored_at) as next_begins, (
              select t.stored_at from fact t where t.tenant_id = me and t.chain = head.chain and t.version > q.version and t.tombstone
              order by t.version limit 1) as ended_at
          from fact q left join fact n on n.tenant_id = me and n.chain = head.chain and n.version = q.version + 1
          where q.tenant_id = me and q.chain = head.chain and q.quarantined and q.fact_id <> all (kept)
        ) s
        where f.tenant_id = me and f.seq = s.seq
        returning f.seq, f.deleted_at
      )
      select count(*) filter (where r.deleted_at is null), coalesce(bool_or(r.seq = head.seq), false),
          coalesce(array_agg(r.seq) filter (where r.deleted_at is null), '{}')
        into back, is_last, seqs from released r;
      if back > 0 then
        update fact_head h set records = h.records + back where h.tenant_id = me and h.chain = head.chain;
        perform svc_count_facts(me, '', head.visibility, back, is_last::int);
        if head.owner <> '' then
          perform svc_count_facts(me, head.owner, head.visibility, back, is_last::int);
        end if;
        total := total + back;
        all_back := all_back || seqs;
      end if;
    end loop;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, gen_random_uuid(), 'fact.released', f.fact_id, case f.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.seq = any (all_back) order by f.seq;
    return total;
  end $$;
`;
