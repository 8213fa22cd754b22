-- Who bears these keys in a tenant, in one round trip, ahead of any unit of work: of each key the peer that it is, else the
-- one that it was until it was revoked. A peer ends with the passport that added it.
create or replace function svc_find_peers(wanted_tenant text, wanted_kids text[])
  returns table (peer_id text, kid text, public_key bytea, scopes text[], entity_prefixes text[], collections text[], direction text, revoked_at timestamptz)
  language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', wanted_tenant, true);
    return query
      select distinct on (p.kid) p.peer_id, p.kid, p.public_key, p.scopes, p.entity_prefixes, p.collections, p.direction,
        coalesce(p.revoked_at, (select o.revoked_at from passport o where o.tenant_id = p.tenant_id and 'passport:' || o.passport_id = p.created_by))
      from sync_peer p where p.tenant_id = wanted_tenant and p.kid = any(wanted_kids)
      order by p.kid, p.revoked_at desc nulls first;
  end $$;
