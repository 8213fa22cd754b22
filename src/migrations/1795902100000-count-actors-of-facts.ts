import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who stored public facts, how many, and when last. */
export class CountActorsOfFacts1795902100000 implements MigrationInterface {
  name = 'CountActorsOfFacts1795902100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table fact_actor (
        tenant_id text not null,
        actor text not null,
        actor_claimed boolean not null,
        -- Writers at once count in rows of their own; the sum over the slots counts.
        slot int not null,
        records bigint not null,
        last_at timestamptz not null,
        primary key (tenant_id, actor, actor_claimed, slot)
      ) with (fillfactor = 50);
      alter table fact no force row level security;
      insert into fact_actor
        select tenant_id, actor, actor_claimed, 0, count(*), max(stored_at) from fact where visibility = 0 and not tombstone group by 1, 2, 3;
      alter table fact force row level security;
      select svc_secure_table('fact_actor');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table fact_actor');
  }
}
