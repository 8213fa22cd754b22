import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of one database take turns at asking the peers for their logs. */
export class TakeTurnsAtPeerLogs1795945100000 implements MigrationInterface {
  name = 'TakeTurnsAtPeerLogs1795945100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- When a process last took the turn to ask; null to have it asked at once.
      alter table peer_log add column asked_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table peer_log drop column asked_at');
  }
}
