-- Moves the index from a line to another, or to another set of segments at the same line; false when it is not there
-- any more.
create or replace function svc_move_fact_index(me text, from_seq bigint, to_seq bigint) returns boolean
  language plpgsql as $$
  begin
    insert into fact_index as i (tenant_id, generation, sealed_seq) select me, 1, to_seq where from_seq = 0
      on conflict (tenant_id) do update set generation = i.generation + 1, sealed_seq = to_seq where i.sealed_seq = from_seq;
    if found then
      return true;
    end if;
    update fact_index i set generation = i.generation + 1, sealed_seq = to_seq where i.tenant_id = me and i.sealed_seq = from_seq;
    return found;
  end $$;
