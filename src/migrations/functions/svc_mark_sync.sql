-- Marks records of tenants that sync as changed, after a statement (`changed`). The arguments: the collection, an
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
