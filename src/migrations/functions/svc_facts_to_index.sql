-- Records as the index takes them, in the order of their seqs. One look-up a record: a plan made while the table was
-- small must not read it whole.
create or replace function svc_facts_to_index(me text, wanted bigint[])
  returns table (seq bigint, visibility smallint, owner text, entity text, key text, value text,
    stored_at timestamptz, confidence real, horizon_class text, retires bigint, tombstone boolean)
  language sql stable as $$
    select f.seq, f.visibility, f.owner, f.entity, f.key, left(f.value, 65536), f.stored_at, f.confidence, f.horizon_class, f.supersedes, f.tombstone
    from unnest(wanted) w(seq) cross join lateral (select f.* from fact f where f.tenant_id = me and f.seq = w.seq offset 0) f order by w.seq
  $$;
