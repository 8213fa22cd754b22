-- The JSON that a text is; null where it is none.
create or replace function svc_json_of(given text) returns jsonb language plpgsql immutable parallel safe as $$
  begin
    if given !~ '^\s*[\[{]' then
      return null;
    end if;
    return given::jsonb;
  exception when others then
    return null;
  end $$;
