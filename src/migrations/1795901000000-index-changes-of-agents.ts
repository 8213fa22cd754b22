import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What has changed for an agent is read newest first: new versions of its answers, and its proofs that have ended. */
export class IndexChangesOfAgents1795901000000 implements MigrationInterface {
  name = 'IndexChangesOfAgents1795901000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index answer_agent on answer (tenant_id, agent_id, recorded_at) where version > 1;
      create index proof_job_agent on proof_job (tenant_id, agent_id, finished_at) where finished_at is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index answer_agent; drop index proof_job_agent');
  }
}
