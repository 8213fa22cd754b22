-- Names of any length, in a key of one.
create or replace function svc_fact_chain(owner text, entity text, key text) returns bytea
  language sql stable parallel safe as $$
    select sha256(convert_to(length(owner) || ':' || owner || length(entity) || ':' || entity || key, 'UTF8'))
  $$;
