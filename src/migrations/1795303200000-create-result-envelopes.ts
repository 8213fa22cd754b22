import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Results of platform jobs that were imported, once each: docs/formats/result-envelope.md. */
export class CreateResultEnvelopes1795303200000 implements MigrationInterface {
  name = 'CreateResultEnvelopes1795303200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- payload is the canonical JSON that content_hash covers, byte for byte.
      create table result_envelope (
        tenant_id text not null,
        job_id text not null,
        artefact_id text not null,
        schema_version int not null,
        schema text not null,
        purpose_tag text,
        key_id text not null,
        platform_signature bytea not null check (length(platform_signature) = 64),
        content_hash bytea not null check (length(content_hash) = 32),
        payload bytea not null,
        passport_fpr text,
        credit_spend_receipt text,
        companion_artifacts json not null,
        counts json not null,
        receipt_id uuid not null,
        imported_by text not null,
        imported_at timestamptz not null,
        primary key (tenant_id, job_id)
      );
      select svc_secure_table('result_envelope');
      revoke update, delete on result_envelope from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table result_envelope');
  }
}
