-- Keeps who has, or had, a work item since it was last done: by whatever way it was given to them or taken from them.
-- With 100 the list is full, and everybody counts as one of them (MAX_OWNERS of the gates).
create or replace function svc_keep_owners() returns trigger language plpgsql as $$
  declare
    one text;
  begin
    if tg_op = 'UPDATE' and old.state = 'done' and new.state <> 'done' then
      new.owners := '{}';
    end if;
    foreach one in array array[new.assignee_passport, new.lease_holder] loop
      if one is not null and one <> all(new.owners) and cardinality(new.owners) < 100 then
        new.owners := new.owners || one;
      end if;
    end loop;
    return new;
  end $$;
