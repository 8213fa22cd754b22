-- Every text of a value, however deep, JSON within texts too, and what its objects name: an entity of facts, a document,
-- an entity of the graph, a stream, an answer, who acted. The kind of such a name stands before it, parted by chr(1).
create or replace function svc_names_in(given jsonb) returns setof text language plpgsql stable parallel safe as $$
  declare
    sep constant text := chr(1);
    inner_json jsonb;
    part jsonb;
    named text;
  begin
    for part in select p from jsonb_path_query(given, 'strict $.**') p loop
      if jsonb_typeof(part) = 'string' then
        named := part #>> '{}';
        return next named;
        inner_json := svc_json_of(named);
        if inner_json is not null then
          return query select svc_names_in(inner_json);
        end if;
      elsif jsonb_typeof(part) = 'object' then
        if part ? 'entity' then
          return next 'entity' || sep || (part ->> 'entity');
        end if;
        if (part ? 'corpus_id' and part ? 'doc_id') or (part ? 'corpusId' and part ? 'docId') then
          return next 'document' || sep || coalesce(part ->> 'corpus_id', part ->> 'corpusId') || sep || coalesce(part ->> 'doc_id', part ->> 'docId');
        end if;
        if part ? 'kind' and part ? 'id' then
          return next 'node' || sep || (part ->> 'kind') || sep || (part ->> 'id');
        end if;
        if part ? 'from_kind' and part ? 'from_id' then
          return next 'node' || sep || (part ->> 'from_kind') || sep || (part ->> 'from_id');
          return next 'node' || sep || (part ->> 'to_kind') || sep || (part ->> 'to_id');
        end if;
        if part ? 'stream_type' and part ? 'stream_id' then
          return next 'stream' || sep || (part ->> 'stream_type') || sep || (part ->> 'stream_id');
        end if;
        if part ? 'answer_id' or part ? 'answerId' then
          return next 'answer' || sep || coalesce(part ->> 'answer_id', part ->> 'answerId');
        end if;
        for named in
          select 'by' || sep || (m.value #>> '{}') from jsonb_each(part) m
          where jsonb_typeof(m.value) = 'string' and m.key in ('agent_id', 'agentId', 'principal', 'actor', 'owner', 'written_by', 'recorded_by',
            'requested_by', 'submitted_by', 'stored_by', 'updated_by', 'declared_by', 'by_passport', 'announced_by')
        loop
          return next named;
        end loop;
        -- Names of members are texts as well.
        return query select jsonb_object_keys(part);
      end if;
    end loop;
  end $$;
