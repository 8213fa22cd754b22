-- What the records of the log are held against after svc_find_subject: names, and the ids of receipts that rows name.
create or replace function svc_found_terms() returns table (term text, is_record boolean)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    return query select t.term::text, false from pg_temp.erase_term t union all select r.name, true from pg_temp.erase_record r;
  end $$;
