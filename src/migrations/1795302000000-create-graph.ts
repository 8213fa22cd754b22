import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The typed graph of the daemon: entities with every version they had, edges, and the kinds both make use of. */
export class CreateGraph1795302000000 implements MigrationInterface {
  name = 'CreateGraph1795302000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(ENTITIES);
    await runner.query(EDGES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_delete_edge(text, text, text, text, text, text, text, uuid), svc_store_edge(text, text, text, text, text, text, json, text, uuid),
        svc_tell_edge(graph_edge, text, uuid), svc_find_entity(text, text, text), svc_delete_entity(text, text, text, text, uuid),
        svc_store_entity(text, text, text, json, text, uuid), svc_tell_entity(graph_entity, text, text, uuid), svc_count_kind(text, text, text, integer);
      drop table graph_edge, graph_entity_version, graph_entity, graph_kind;
    `);
  }
}

const TABLES = `
  -- What a kind is used by, and how much of it is live. Writers at once count in rows of their own, by slot; the sum over the slots counts.
  -- endpoint: edges name entities of this kind, whether or not any is stored.
  create table graph_kind (
    tenant_id text not null,
    kind text collate "C" not null,
    used_by text not null check (used_by in ('entity', 'edge', 'endpoint')),
    slot smallint not null,
    live bigint not null,
    first_seen_at timestamptz not null default now(),
    primary key (tenant_id, kind, used_by, slot)
  ) with (fillfactor = 50);
  select svc_secure_table('graph_kind');

  -- The newest version of each entity; its payload stands with the version.
  create table graph_entity (
    tenant_id text not null,
    kind text collate "C" not null,
    id text collate "C" not null,
    version integer not null default 1,
    -- The version with which it last came to be: the first, or the one after a deletion.
    live_since integer not null default 1,
    is_deleted boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, kind, id)
  );
  create index graph_entity_live on graph_entity (tenant_id, kind, id) where not is_deleted;
  select svc_secure_table('graph_entity');

  -- Append-only. A deletion is a version too, with the payload that was deleted.
  create table graph_entity_version (
    tenant_id text not null,
    kind text collate "C" not null,
    id text collate "C" not null,
    version integer not null,
    payload json not null,
    is_deleted boolean not null,
    stored_by text not null,
    stored_at timestamptz not null,
    primary key (tenant_id, kind, id, version)
  );
  select svc_secure_table('graph_entity_version');
  revoke update, delete on graph_entity_version from svc_app, svc_operator;

  create table graph_edge (
    tenant_id text not null,
    from_kind text collate "C" not null,
    from_id text collate "C" not null,
    edge_kind text collate "C" not null,
    to_kind text collate "C" not null,
    to_id text collate "C" not null,
    payload json not null,
    version integer not null default 1,
    live_since integer not null default 1,
    is_deleted boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    primary key (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id)
  );
  -- Each is the identity with one member brought forward: a list filtered by that member comes in the order of the identity, and needs no sort.
  create index graph_edge_from_id on graph_edge (tenant_id, from_id, from_kind, edge_kind, to_kind, to_id);
  create index graph_edge_kind on graph_edge (tenant_id, edge_kind, from_kind, from_id, to_kind, to_id);
  create index graph_edge_to_kind on graph_edge (tenant_id, to_kind, from_kind, from_id, edge_kind, to_id);
  create index graph_edge_to_id on graph_edge (tenant_id, to_id, from_kind, from_id, edge_kind, to_kind);
  select svc_secure_table('graph_edge');

  create function svc_count_kind(me text, of_kind text, role text, added integer) returns void language sql as $$
    insert into graph_kind as k (tenant_id, kind, used_by, slot, live) values (me, of_kind, role, pg_backend_pid() % 16, added)
      on conflict (tenant_id, kind, used_by, slot) do update set live = k.live + excluded.live
  $$;
  grant execute on function svc_count_kind(text, text, text, integer) to svc_app;
`;

const ENTITIES = `
  create function svc_tell_entity(head graph_entity, what text, actor text, event uuid) returns void language sql as $$
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (head.tenant_id, event, what, head.kind || '/' || head.id,
      jsonb_build_object('kind', head.kind, 'id', head.id, 'version', head.version, 'actor', actor))
  $$;

  -- One round trip: the version, what is counted of its kind, and the event. Writers of one entity wait for each other at its row, so versions have no gaps.
  create function svc_store_entity(me text, of_kind text, of_id text, content json, actor text, event uuid) returns setof graph_entity
    language plpgsql as $$
  declare
    head graph_entity;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into graph_entity as e (tenant_id, kind, id, created_at, updated_at) values (me, of_kind, of_id, clock_timestamp(), clock_timestamp())
      on conflict (tenant_id, kind, id) do update set version = e.version + 1, is_deleted = false, updated_at = clock_timestamp(),
        live_since = case when e.is_deleted then e.version + 1 else e.live_since end
      returning * into head;
    insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
      values (me, of_kind, of_id, head.version, content, false, actor, head.updated_at);
    if head.live_since = head.version then
      perform svc_count_kind(me, of_kind, 'entity', 1);
    end if;
    perform svc_tell_entity(head, 'entity.stored', actor, event);
    return next head;
  end $$;

  -- No row: there is no such entity, or none any more.
  create function svc_delete_entity(me text, of_kind text, of_id text, actor text, event uuid) returns setof graph_entity language plpgsql as $$
  declare
    head graph_entity;
  begin
    perform set_config('svc.tenant_id', me, true);
    update graph_entity e set version = e.version + 1, is_deleted = true, updated_at = clock_timestamp()
      where e.tenant_id = me and e.kind = of_kind and e.id = of_id and not e.is_deleted returning * into head;
    if not found then
      return;
    end if;
    insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
      select me, of_kind, of_id, head.version, v.payload, true, actor, head.updated_at from graph_entity_version v
      where v.tenant_id = me and v.kind = of_kind and v.id = of_id and v.version = head.version - 1;
    perform svc_count_kind(me, of_kind, 'entity', -1);
    perform svc_tell_entity(head, 'entity.deleted', actor, event);
    return next head;
  end $$;

  create function svc_find_entity(me text, of_kind text, of_id text)
    returns table (kind text, id text, version integer, payload json, is_deleted boolean, created_at timestamptz, updated_at timestamptz, updated_by text)
    language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select e.kind, e.id, e.version, v.payload, e.is_deleted, e.created_at, e.updated_at, v.stored_by
      from graph_entity e join graph_entity_version v using (tenant_id, kind, id, version)
      where e.tenant_id = me and e.kind = of_kind and e.id = of_id;
  end $$;
  grant execute on function svc_tell_entity(graph_entity, text, text, uuid), svc_store_entity(text, text, text, json, text, uuid),
    svc_delete_entity(text, text, text, text, uuid), svc_find_entity(text, text, text) to svc_app;
`;

const EDGES = `
  create function svc_tell_edge(head graph_edge, what text, event uuid) returns void language sql as $$
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (head.tenant_id, event, what,
      head.from_kind || '/' || head.from_id || ' ' || head.edge_kind || ' ' || head.to_kind || '/' || head.to_id,
      jsonb_build_object('from_kind', head.from_kind, 'from_id', head.from_id, 'edge_kind', head.edge_kind, 'to_kind', head.to_kind,
        'to_id', head.to_id, 'version', head.version, 'actor', head.updated_by))
  $$;

  create function svc_store_edge(me text, source_kind text, source_id text, of_kind text, target_kind text, target_id text, content json, actor text,
    event uuid) returns setof graph_edge language plpgsql as $$
  declare
    head graph_edge;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into graph_edge as e (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id, payload, created_at, updated_at, updated_by)
      values (me, source_kind, source_id, of_kind, target_kind, target_id, content, clock_timestamp(), clock_timestamp(), actor)
      on conflict (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id) do update set payload = excluded.payload, version = e.version + 1,
        is_deleted = false, updated_at = clock_timestamp(), updated_by = excluded.updated_by,
        live_since = case when e.is_deleted then e.version + 1 else e.live_since end
      returning * into head;
    if head.live_since = head.version then
      -- In one order, so that two writers never wait for each other.
      insert into graph_kind (tenant_id, kind, used_by, slot, live)
        select distinct me, k.kind, 'endpoint', 0, 0 from unnest(array[source_kind, target_kind]) as k(kind) order by k.kind on conflict do nothing;
      perform svc_count_kind(me, of_kind, 'edge', 1);
    end if;
    perform svc_tell_edge(head, 'edge.stored', event);
    return next head;
  end $$;

  create function svc_delete_edge(me text, source_kind text, source_id text, of_kind text, target_kind text, target_id text, actor text, event uuid)
    returns setof graph_edge language plpgsql as $$
  declare
    head graph_edge;
  begin
    perform set_config('svc.tenant_id', me, true);
    update graph_edge e set version = e.version + 1, is_deleted = true, updated_at = clock_timestamp(), updated_by = actor
      where e.tenant_id = me and e.from_kind = source_kind and e.from_id = source_id and e.edge_kind = of_kind and e.to_kind = target_kind
        and e.to_id = target_id and not e.is_deleted returning * into head;
    if not found then
      return;
    end if;
    perform svc_count_kind(me, of_kind, 'edge', -1);
    perform svc_tell_edge(head, 'edge.deleted', event);
    return next head;
  end $$;
  grant execute on function svc_tell_edge(graph_edge, text, uuid), svc_store_edge(text, text, text, text, text, text, json, text, uuid),
    svc_delete_edge(text, text, text, text, text, text, text, uuid) to svc_app;
`;
