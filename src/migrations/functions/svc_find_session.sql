-- For processes of the release before: svc_authenticate_session took its place.
create or replace function svc_find_session(wanted_tenant text, wanted_hash bytea)
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
