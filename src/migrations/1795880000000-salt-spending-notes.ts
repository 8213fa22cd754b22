import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Digests of the notes of spendings are salted, and go with the note where a subject is erased, so that none confirms a
 * guess. Spendings of before have no salt, and are recognized without one.
 */
export class SaltSpendingNotes1795880000000 implements MigrationInterface {
  name = 'SaltSpendingNotes1795880000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table credit_spending add column note_salt bytea check (length(note_salt) = 16);
      create function svc_forget_note() returns trigger language plpgsql as $$
        begin
          update credit_spending set note_digest = null, note_salt = null
          where tenant_id = new.tenant_id and reference = new.reference and transfer_id = new.transfer_id;
          return null;
        end $$;
      create trigger forget_note after update of note on ledger_transfer
        for each row when (new.reason = 'spend') execute function svc_forget_note();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger forget_note on ledger_transfer;
      drop function svc_forget_note();
      alter table credit_spending drop column note_salt;
    `);
  }
}
