-- Where an erasure empties the note of a spending, digest and salt go as well: they would confirm a guess of it.
create or replace function svc_forget_note() returns trigger language plpgsql as $$
  begin
    update credit_spending set note_digest = null, note_salt = null
    where tenant_id = new.tenant_id and reference = new.reference and transfer_id = new.transfer_id;
    return null;
  end $$;
