import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was asked of those who answered a survey, and when operators opened and closed one. No tenant_id: every tenant is
 * asked the same.
 */
export class CreateSurveys1795403000000 implements MigrationInterface {
  name = 'CreateSurveys1795403000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table survey (
        survey_id text not null,
        version integer not null,
        definition jsonb not null,
        kept_at timestamptz not null default now(),
        primary key (survey_id, version)
      );

      create table survey_window (
        survey_id text not null,
        version integer not null,
        seq integer not null,
        opens_at timestamptz,
        closes_at timestamptz,
        changed_by text not null,
        changed_at timestamptz not null default now(),
        primary key (survey_id, version, seq)
      );

      grant select, insert on survey, survey_window to svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table survey, survey_window');
  }
}
