-- Of these names of receipts those that the tenant has none of: a UUID names an execution receipt, `blake3:` and 64
-- digits a retrieval receipt; nothing else names any.
create or replace function svc_unknown_receipts(me text, names text[]) returns setof text
  language plpgsql set enable_seqscan = off as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query select n.name from unnest(names) n (name) where not case
      when n.name ~ '^blake3:[0-9a-f]{64}$' then exists (
        select from retrieval_receipt r where r.tenant_id = me and r.record_digest = decode(substr(n.name, 8), 'hex'))
      when n.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then exists (
        select from receipt r where r.tenant_id = me and r.receipt_id = n.name::uuid)
      else false end;
  end $$;
