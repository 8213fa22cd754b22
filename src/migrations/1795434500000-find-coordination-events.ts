import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The status feed reads the newest events of coordination, of which there may be few among a million others. Its
 * queries repeat the condition of the indexes word for word: by that PostgreSQL uses them.
 */
export class FindCoordinationEvents1795434500000 implements MigrationInterface {
  name = 'FindCoordinationEvents1795434500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index outbox_event_coordination on outbox_event (tenant_id, transaction, position)
        where split_part(kind, '.', 1) = any (array['work', 'gate', 'lease', 'punchcard', 'intent', 'orchestrator']);
      create index outbox_event_work on outbox_event (tenant_id, coalesce(data ->> 'workId', data ->> 'work_id', subject), transaction, position)
        where split_part(kind, '.', 1) = any (array['work', 'gate', 'lease', 'punchcard', 'intent', 'orchestrator']);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index outbox_event_work, outbox_event_coordination');
  }
}
