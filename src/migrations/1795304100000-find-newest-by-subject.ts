import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an export of an action asks for: the newest receipts and events about a subject, of which a busy stream may have a million. */
export class FindNewestBySubject1795304100000 implements MigrationInterface {
  name = 'FindNewestBySubject1795304100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index receipt_subject_time on receipt (tenant_id, subject, occurred_at);
      create index outbox_event_subject on outbox_event (tenant_id, subject, transaction, position);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index receipt_subject_time, outbox_event_subject');
  }
}
