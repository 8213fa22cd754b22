import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A proof says in the words of every other feature whether its subject still holds, what has drifted, and by which mode
 * it was charged. Citations keep who could see the passage. The constraint is not validated: it allows all that the one
 * before allowed.
 */
export class RecordWhatProofsCharge1795400900000 implements MigrationInterface {
  name = 'RecordWhatProofsCharge1795400900000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table citation add column shareability text check (shareability in ('owner_only', 'entitled_only', 'public_safe'));
      alter table proof_job
        add column charged_mode text check (charged_mode in ('light', 'verified', 'audit')),
        add column drift_categories text[] not null default '{}',
        drop constraint proof_job_verdict_check,
        add constraint proof_job_verdict_check
          check (verdict in ('pending', 'holds', 'unknown', 'drifted', 'unavailable', 'broken')) not valid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update proof_job set verdict = case verdict when 'unavailable' then 'drifted' else 'broken' end where verdict in ('unavailable', 'unknown');
      alter table proof_job
        drop constraint proof_job_verdict_check,
        add constraint proof_job_verdict_check check (verdict in ('pending', 'holds', 'drifted', 'broken')),
        drop column drift_categories,
        drop column charged_mode;
      alter table citation drop column shareability;
    `);
  }
}
