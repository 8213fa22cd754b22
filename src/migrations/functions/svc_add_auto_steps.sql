-- Makes steps of what sessions did, below the step by which each asked for that, while it is open; what names any other
-- session is left out. Each: session, kind, label, actor, status, at, and where set receipt_id, mutation_receipt_id,
-- inputs, outputs. Answers the ids of the steps. Sets the tenant of the transaction. Rows are found by their keys alone: a
-- plan made while the tables were small must not read them whole when they have grown.
create or replace function svc_add_auto_steps(me text, steps jsonb) returns setof text
  language plpgsql set enable_seqscan = off as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      insert into observe_step (tenant_id, session_id, node_id, parent_id, path, depth, label, actor, kind, risk_class, status, private, owner,
        ts_start, ts_end, inputs, outputs, receipt_id, mutation_receipt_id, auto, closed_at)
      select me, s.session_id, gen_random_uuid()::text, p.node_id, p.path || lpad(to_hex(nextval('observe_step_seq')), 10, '0'), p.depth + 1,
        i.label, i.actor, i.kind, 'minimal', i.status, p.private, p.owner, i.at, case when i.status <> 'open' then i.at end,
        coalesce(i.inputs, '[]'), i.outputs, i.receipt_id, i.mutation_receipt_id, true,
        case when i.status <> 'open' then now() end
      from jsonb_to_recordset(steps) i (session text, kind text, label text, actor text, status text, at timestamptz, receipt_id text,
        mutation_receipt_id text, inputs jsonb, outputs jsonb)
      join observe_session s on s.tenant_id = me and s.session_id = i.session and s.archived_at is null
      join observe_step p on p.tenant_id = me and p.session_id = s.session_id and p.node_id = s.auto_node and p.status = 'open' and p.depth < 63
      returning node_id;
  end $$;
