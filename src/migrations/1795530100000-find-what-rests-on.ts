import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From a thing to what refers to it, in one look-up; and steps by their time. */
export class FindWhatRestsOn1795530100000 implements MigrationInterface {
  name = 'FindWhatRestsOn1795530100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index fact_source on fact (tenant_id, source_receipt) where source_receipt is not null;
      create index answer_retrieval on answer (tenant_id, (retrieval ->> 'retrievalId')) where retrieval is not null;
      create index proof_job_chunk_id on proof_job_chunk (tenant_id, chunk_id);
      create index proof_job_subject on proof_job (tenant_id, subject_type, md5(subject_id));
      create index primitive_pin_chunk on primitive_pin (tenant_id, chunk_id) where chunk_id is not null;
      create index observe_step_time on observe_step (tenant_id, ts_start);
      create index primitive_pin_answer on primitive_pin (tenant_id, answer_id) where answer_id is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop index primitive_pin_answer, observe_step_time, primitive_pin_chunk, proof_job_subject, proof_job_chunk_id, answer_retrieval, fact_source',
    );
  }
}
