import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Observed sessions with their steps. */
export class CreateObservation1795520000000 implements MigrationInterface {
  name = 'CreateObservation1795520000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table observe_session (
        tenant_id text not null,
        session_id text collate "C" not null,
        opened_by text not null,
        -- The step below which what the session does becomes steps by itself, while it is open.
        auto_node text collate "C",
        opened_at timestamptz not null default now(),
        archived_at timestamptz,
        primary key (tenant_id, session_id)
      );
      create index observe_session_age on observe_session (opened_at) where archived_at is null;
      select svc_secure_table('observe_session');
      revoke delete on observe_session from svc_app, svc_operator;

      -- A step never moves: its parent was there before it, so that the steps of a session are trees.
      create sequence observe_step_seq;
      grant usage on sequence observe_step_seq to svc_app, svc_operator;
      create table observe_step (
        tenant_id text not null,
        session_id text collate "C" not null,
        node_id text collate "C" not null,
        parent_id text collate "C",
        -- The seqs of the steps from the root to this one, ten hexadecimal digits each: sorted by it, a parent stands
        -- before the steps below it.
        path text collate "C" not null,
        depth smallint not null check (depth between 0 and 63),
        label text not null,
        actor text not null,
        kind text not null constraint observe_step_kind_check check (kind in
          ('plan', 'agent', 'tool', 'model', 'retrieval', 'memory', 'decision', 'human', 'output', 'other')),
        risk_class text not null constraint observe_step_risk_class_check check (risk_class in ('minimal', 'limited', 'high')),
        status text not null default 'open' constraint observe_step_status_check check (status in
          ('open', 'ok', 'error', 'denied', 'cancelled')),
        private boolean not null,
        owner text not null,
        ts_start timestamptz not null,
        ts_end timestamptz,
        inputs jsonb not null default '[]',
        -- Null until it is closed.
        outputs jsonb,
        enrich_ref text,
        reasoning_ref text,
        receipt_id text,
        mutation_receipt_id text,
        auto boolean not null default false,
        opened_at timestamptz not null default now(),
        closed_at timestamptz,
        -- The receipts of opening and closing, and the SHA-256 of what was opened and closed, which they bear.
        open_receipt uuid,
        close_receipt uuid,
        open_digest bytea,
        close_digest bytea,
        primary key (tenant_id, session_id, node_id),
        unique (tenant_id, session_id, path),
        foreign key (tenant_id, session_id) references observe_session,
        check ((status = 'open') = (ts_end is null)),
        check ((depth = 0) = (parent_id is null))
      );
      create index observe_step_children on observe_step (tenant_id, session_id, parent_id, path);
      create index observe_step_open on observe_step (tenant_id, session_id, path) where status = 'open';
      select svc_secure_table('observe_step');
      revoke delete on observe_step from svc_app, svc_operator;

      create function svc_add_auto_steps(me text, steps jsonb) returns setof text
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
      create function svc_store_observed_facts(me text, rounds json, batch json, steps jsonb) returns void
        language plpgsql as $$
        begin
          perform svc_store_fact_batch(me, rounds, batch);
          perform svc_add_auto_steps(me, steps);
        end $$;
      revoke execute on function svc_add_auto_steps(text, jsonb), svc_store_observed_facts(text, json, json, jsonb) from public;
      grant execute on function svc_add_auto_steps(text, jsonb), svc_store_observed_facts(text, json, json, jsonb) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_store_observed_facts(text, json, json, jsonb), svc_add_auto_steps(text, jsonb);
      drop table observe_step, observe_session;
      drop sequence observe_step_seq;
    `);
  }
}
