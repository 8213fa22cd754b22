import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What POST /v1/credits/spend answered, by the reference that names a spending: sent again, it answers the same. */
export class CreateCreditSpendings1795840000000 implements MigrationInterface {
  name = 'CreateCreditSpendings1795840000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table credit_spending (
        tenant_id text not null,
        reference text collate "C" not null,
        transfer_id uuid not null,
        agent_id text not null,
        credits bigint not null check (credits > 0),
        -- Of the note, which stands in the transfer.
        note_digest bytea check (length(note_digest) = 32),
        -- As they were once it was spent.
        own_after bigint not null check (own_after >= 0),
        allowance_after bigint not null check (allowance_after >= 0),
        earnings_after bigint not null check (earnings_after >= 0),
        receipt_id uuid not null,
        spent_at timestamptz not null,
        primary key (tenant_id, reference),
        foreign key (tenant_id, transfer_id) references ledger_transfer
      );
      select svc_secure_table('credit_spending');
      revoke update, delete on credit_spending from svc_app;
      revoke insert, update on credit_spending from svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table credit_spending');
  }
}
