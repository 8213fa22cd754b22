import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of who asks and who moves: two tokens of one subject are not two people, whatever passports they name. */
export class KeepSubjectsOfTokens1795940000000 implements MigrationInterface {
  name = 'KeepSubjectsOfTokens1795940000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table passport_mint_request add column requested_subject text;
      alter table work_gate add column requested_subject text;
      alter table work_transition add column subject text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table passport_mint_request drop column requested_subject;
      alter table work_gate drop column requested_subject;
      alter table work_transition drop column subject;
    `);
  }
}
