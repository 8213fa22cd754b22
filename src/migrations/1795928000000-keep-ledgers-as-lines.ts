import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an audit keeps of its candidates is text, of which the signed receipt has the digest. It is not compressed:
 * that took longer than all else of an audit.
 */
export class KeepLedgersAsLines1795928000000 implements MigrationInterface {
  name = 'KeepLedgersAsLines1795928000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table retrieval_ledger alter column candidates drop not null, add column candidate_lines text;
      alter table retrieval_ledger alter column candidate_lines set storage external;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from retrieval_ledger where candidates is null;
      alter table retrieval_ledger drop column candidate_lines, alter column candidates set not null;
    `);
  }
}
