import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The memory daemon asks which switches stop a tenant or a principal; functions/ has how. */
export class ReadStoppingSwitches1795947000000 implements MigrationInterface {
  name = 'ReadStoppingSwitches1795947000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function svc_shield_stops(me text)
        returns table (kill_switch_id uuid, principal text, include_reads boolean, reason text)
        language sql stable as $$ select null::uuid, null::text, null::boolean, null::text where false $$;
      grant execute on function svc_shield_stops(text) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_shield_stops(text)');
  }
}
