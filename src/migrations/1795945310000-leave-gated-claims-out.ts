import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Claims of the next item leave out those projects in which the claim needs an approval; functions/ has which. */
export class LeaveGatedClaimsOut1795945310000 implements MigrationInterface {
  name = 'LeaveGatedClaimsOut1795945310000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function svc_projects_gating_claims(me text) returns text[] language sql stable as $$ select '{}'::text[] $$;
      grant execute on function svc_projects_gating_claims(text) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_projects_gating_claims(text)');
  }
}
