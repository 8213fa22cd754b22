import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Usage of models, as it is reported: each event once. */
export class CreateUsage1795810100000 implements MigrationInterface {
  name = 'CreateUsage1795810100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table usage_event (
        tenant_id text not null,
        -- Who made the event, '' where it says nothing; with its id the name of the event (CloudEvents 1.0, 3.1).
        source text collate "C" not null,
        event_id text collate "C" not null,
        happened_at timestamptz not null,
        -- Of that time, in UTC.
        day date not null,
        model text collate "C" not null,
        tokens_in bigint not null check (tokens_in >= 0),
        tokens_out bigint not null check (tokens_out >= 0),
        passport text collate "C" not null default '',
        project text collate "C" not null default '',
        surface text collate "C" not null default '',
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, source, event_id)
      );
      create index usage_event_day on usage_event (tenant_id, day);
      select svc_secure_table('usage_event');
      revoke update, delete on usage_event from svc_app;
      revoke insert, update on usage_event from svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table usage_event');
  }
}
