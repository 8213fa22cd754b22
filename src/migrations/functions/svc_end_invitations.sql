-- Whoever made an invitation has its token. The one of an active seat ends with a change of that seat too: it would
-- open the new role.
create or replace function svc_end_invitations() returns trigger language plpgsql as $$
      begin
        update seat set invite_hash = null, invite_expires_at = null, invite_issuer = null
          where tenant_id = new.tenant_id and invite_issuer = new.principal and invite_hash is not null;
        if new.principal like 'seat:%' then
          update seat set invite_hash = null, invite_expires_at = null, invite_issuer = null
            where tenant_id = new.tenant_id and seat_id = substr(new.principal, 6)::uuid and invite_hash is not null;
        end if;
        return null;
      end $$;
