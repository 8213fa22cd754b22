import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Documents that are accepted, or completed, in one transaction have one receipt, and an ingest keeps the one of its end. */
export class BindIngestsTogether1795926000000 implements MigrationInterface {
  name = 'BindIngestsTogether1795926000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What the receipts of the kinds ingest.batch_accepted and ingest.batch_completed bind: the ingests, and their leaf
      -- hashes one after another, both in the order of the leaves.
      create table ingest_batch (
        tenant_id text not null,
        receipt_id uuid not null,
        ingests uuid[] not null,
        leaves bytea not null check (length(leaves) = 32 * cardinality(ingests)),
        primary key (tenant_id, receipt_id)
      );
      select svc_secure_table('ingest_batch');
      revoke update, delete on ingest_batch from svc_app, svc_operator;

      -- Null until it is completed, and of one that was completed before this column was there: that receipt is found by its subject.
      alter table ingest add column completed_id uuid;

      -- Leaves of those batches whose document was erased, until a receipt has named them and after.
      create table erased_document (
        tenant_id text not null,
        receipt_id uuid not null,
        leaf_index int not null,
        erasure_id uuid not null,
        announced_by uuid,
        primary key (tenant_id, receipt_id, leaf_index)
      );
      create index erased_document_unannounced on erased_document (tenant_id) where announced_by is null;
      select svc_secure_table('erased_document');
      revoke insert, delete on erased_document from svc_app, svc_operator;

      -- Programs before this one do not know such receipts.
      update schema_compatibility set oldest_program = 1795926000000;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table erased_document;
      alter table ingest drop column completed_id;
      drop table ingest_batch;
    `);
  }
}
