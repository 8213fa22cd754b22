-- Whether a passport is revoked, or is being revoked by a transaction that has not ended: nobody waits for that, for it
-- may wait for what the caller has locked. One that is not stays so until this transaction ends.
create or replace function svc_is_revoked(me text, wanted text) returns boolean language plpgsql as $$
  declare
    revoked boolean;
  begin
    -- May not change passports, and so not lock them: it sees what is committed.
    if current_user = 'svc_operator' then
      return exists (select from passport p where p.tenant_id = me and p.passport_id = wanted and p.revoked_at is not null);
    end if;
    select p.revoked_at is not null into revoked from passport p where p.tenant_id = me and p.passport_id = wanted for share skip locked;
    return coalesce(revoked, exists (select from passport p where p.tenant_id = me and p.passport_id = wanted));
  end $$;
