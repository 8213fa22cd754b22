import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What locks accounts runs as the owner, past row-level security: it is for the roles of the product alone. */
export class KeepAccountsFromPublic1795937100000 implements MigrationInterface {
  name = 'KeepAccountsFromPublic1795937100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('revoke execute on function svc_lock_accounts(text[]) from public');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('grant execute on function svc_lock_accounts(text[]) to public');
  }
}
