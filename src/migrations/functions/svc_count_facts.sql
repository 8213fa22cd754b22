-- Takes a slot that no other transaction holds: counting makes nobody wait.
create or replace function svc_count_facts(me text, of_scope text, of_visibility smallint, more_records bigint,
  more_current bigint) returns void
  language plpgsql as $$
  declare
    free int;
  begin
    select c.slot into free from fact_count c where c.tenant_id = me and c.scope = of_scope and c.visibility = of_visibility
      limit 1 for update skip locked;
    insert into fact_count as c (tenant_id, scope, visibility, slot, records, current)
      values (me, of_scope, of_visibility, coalesce(free, (random() * 2147483647)::int), more_records, more_current)
      on conflict (tenant_id, scope, visibility, slot)
      do update set records = c.records + excluded.records, current = c.current + excluded.current;
  end $$;
