-- One round trip for the caller guard: enters the tenant for this statement's transaction alone. The tenant's state comes
-- with it: a key of one that is not active is known, and refused all the same.
create or replace function svc_authenticate_key(wanted_tenant text, wanted_hash bytea)
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
