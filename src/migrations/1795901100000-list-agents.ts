import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where agents leave rows: the event, and what it shows them active in. */
const TRIGGERS = [
  `note_added after insert on agent_retrieval referencing new table as added for each statement execute function svc_note_activity('retrieval')`,
  `note_changed after update on agent_retrieval referencing new table as added for each statement execute function svc_note_activity('retrieval')`,
  `note_added after insert on answer referencing new table as added for each statement execute function svc_note_activity('answer')`,
  `note_added after insert on agent_home referencing new table as added for each statement execute function svc_note_activity('journal')`,
  `note_changed after update on agent_home referencing new table as added for each statement execute function svc_note_activity('journal')`,
  `note_added after insert on watch referencing new table as added for each statement execute function svc_note_activity('watch')`,
  `note_added after insert on proof_job referencing new table as added for each statement execute function svc_note_activity('proof')`,
  `note_added after insert on ledger_account referencing new table as added for each statement execute function svc_note_activity('credits')`,
  `note_added after insert on ledger_transfer referencing new table as added for each statement execute function svc_note_activity('credits')`,
];

/** Rows there are already. */
const NAMING = [
  ['agent_retrieval', `select tenant_id, agent_id, created_at, 'retrieval' from agent_retrieval`],
  ['answer', `select tenant_id, agent_id, max(recorded_at), 'answer' from answer group by 1, 2`],
  ['agent_home', `select tenant_id, agent_id, created_at, 'journal' from agent_home`],
  ['watch', `select tenant_id, agent_id, max(created_at), 'watch' from watch group by 1, 2`],
  ['proof_job', `select tenant_id, agent_id, max(created_at), 'proof' from proof_job group by 1, 2`],
  ['ledger_account', `select tenant_id, agent_id, opened_at, 'credits' from ledger_account where agent_id is not null`],
  [
    'ledger_transfer',
    `select tenant_id, agent_id, max(created_at), 'credits' from ledger_transfer where agent_id is not null group by 1, 2`,
  ],
] as const;

/** Which agents there are in a tenant: one row each, moved by whatever an agent leaves behind. */
export class ListAgents1795901100000 implements MigrationInterface {
  name = 'ListAgents1795901100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table agent_activity (
        tenant_id text not null,
        agent_id text not null check (length(agent_id) between 1 and 512),
        last_active_at timestamptz not null,
        kind text not null check (kind in ('retrieval', 'answer', 'journal', 'watch', 'proof', 'credits')),
        primary key (tenant_id, agent_id)
      );
      create index agent_activity_list on agent_activity (tenant_id, last_active_at, agent_id);
      select svc_secure_table('agent_activity');
      revoke insert, update, delete on agent_activity from svc_app, svc_operator;
      -- The trigger runs as the owner, whatever tenants the rows are of.
      create policy keeper_rows on agent_activity to current_user using (true) with check (true);
    `);
    const tables = NAMING.map(([table]) => table);
    for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      insert into agent_activity (tenant_id, agent_id, last_active_at, kind)
      select distinct on (tenant_id, agent_id) * from (${NAMING.map(([, rows]) => rows).join(' union all ')}) n (tenant_id, agent_id, at, kind)
      where length(agent_id) between 1 and 512 order by tenant_id, agent_id, at desc
    `);
    for (const table of tables) await runner.query(`alter table ${table} force row level security`);
    await runner.query(NOTE_ACTIVITY);
    for (const trigger of TRIGGERS) await runner.query(`create trigger ${trigger}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const trigger of TRIGGERS) {
      const [, name, table] = /^(\w+) after \w+ on (\w+) /.exec(trigger)!;
      await runner.query(`drop trigger ${name} on ${table}`);
    }
    await runner.query('drop function svc_note_activity(); drop table agent_activity');
  }
}

/** As functions/svc_note_activity.sql has it. */
const NOTE_ACTIVITY = `
  create function svc_note_activity() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      return null;
    end $$;
  revoke execute on function svc_note_activity() from public;
`;
