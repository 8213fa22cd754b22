-- For processes of the release before: svc_authenticate_key took its place.
create or replace function svc_find_key(wanted_tenant text, wanted_hash bytea)
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
