-- Names a record of tenant sync: SHA-256 over its collection and id as canonical JSON (docs/formats/sync.md).
create or replace function svc_sync_key(target text, parts text[]) returns bytea
  language sql immutable parallel safe as $$
    select sha256(convert_to(E'svc.sync.key/1\n[' || to_json(target)::text
      || coalesce((select string_agg(',' || to_json(p.part)::text, '' order by p.place) from unnest(parts) with ordinality p (part, place)), '') || ']', 'UTF8'))
  $$;
