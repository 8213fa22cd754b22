-- With rows that go, their vectors go: the arguments are the kind and the column of its id. Processes that have them in
-- memory read all vectors of the kind again.
create or replace function svc_drop_vectors() returns trigger language plpgsql as $$
      begin
        execute format(
          'with dropped as ('
          '  delete from memory_vector v using gone g where v.tenant_id = g.tenant_id and v.kind = $1 and v.item_id = g.%I::text '
          '  returning v.tenant_id, v.space_id, v.kind) '
          'update memory_vector_state s set removals = s.removals + 1 from (select distinct * from dropped) d '
          'where s.tenant_id = d.tenant_id and s.space_id = d.space_id and s.kind = d.kind', tg_argv[1]) using tg_argv[0];
        return null;
      end $$;
