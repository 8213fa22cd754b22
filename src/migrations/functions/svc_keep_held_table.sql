-- Trigger of svc_pin_table: no table is emptied while any tenant has a legal hold.
create or replace function svc_keep_held_table() returns trigger
  language plpgsql as $$
  declare
    holds uuid[] := array(select h.hold_id from public.legal_hold h where h.released_at is null order by 1 limit 100);
  begin
    if holds <> '{}' then
      perform public.svc_note_truncation(tg_relid);
      raise exception 'legal hold % is active; % is not emptied', holds[1], tg_table_name using errcode = 'SVH01', detail = to_json(holds)::text,
        hint = tg_table_name;
    end if;
    return null;
  end $$;
