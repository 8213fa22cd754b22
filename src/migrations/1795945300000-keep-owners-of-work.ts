import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who has had an item since it was last done: giving it away does not lift the gate (docs/decisions/0408). */
export class KeepOwnersOfWork1795945300000 implements MigrationInterface {
  name = 'KeepOwnersOfWork1795945300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table work_item add owners text[] not null default '{}'`);
    for (const table of TABLES) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(KNOWN_OWNERS);
    for (const table of TABLES) await runner.query(`alter table ${table} force row level security`);
    await runner.query(TRIGGER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger keep_owners on work_item;
      drop function svc_keep_owners();
      alter table work_item drop owners;
    `);
  }
}

const TABLES = ['work_item', 'work_transition', 'lease'];

/** As far as it was recorded. What is done begins without any when it is opened again. */
const KNOWN_OWNERS = `
  update work_item w set owners = array(
    select w.assignee_passport where w.assignee_passport is not null
    union select t.assignee_passport from work_transition t
      where t.tenant_id = w.tenant_id and t.work_id = w.work_id and t.assignee_passport is not null
    union select l.holder_passport from lease l where l.tenant_id = w.tenant_id and l.kind = 'work' and l.subject = w.work_id
    limit 100)
  where w.state <> 'done'`;

/** functions/ has what it does. */
const TRIGGER = `
  create function svc_keep_owners() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger keep_owners before insert or update of state, assignee_passport, lease_holder on work_item
    for each row execute function svc_keep_owners();
`;
