import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Observed sessions are content that legal holds pin: a session is the entity `session:<id>`. */
export class PinObservation1795560000000 implements MigrationInterface {
  name = 'PinObservation1795560000000';

  async up(runner: QueryRunner): Promise<void> {
    const names = `array['session:' || r.session_id]`;
    const content = ['label', 'actor', 'inputs', 'outputs', 'enrich_ref', 'reasoning_ref'];
    await runner.query('select svc_pin_table($1, $2, $3)', ['observe_step', names, content]);
    await runner.query('select svc_pin_table($1, $2, $3, $4)', ['observe_session', names, [], 'archived_at']);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['observe_step', 'observe_session'])
      for (const part of ['legal_hold', 'legal_hold_update', 'legal_hold_truncate'])
        await runner.query(`drop trigger ${part} on ${table}`);
  }
}
