import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Addresses of seats are kept with A to Z in lower case, and other letters as they are, as the program writes them.
 * Whatever was kept before is in lower case altogether, so that it stays what it is.
 */
export class CompareAddressesInAscii1795934000000 implements MigrationInterface {
  name = 'CompareAddressesInAscii1795934000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table seat drop constraint seat_user_email_check;
      alter table seat add constraint seat_user_email_check check (user_email = lower(user_email collate "C"));
    `);
  }

  /** Addresses that were kept since are left as they are. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table seat drop constraint seat_user_email_check;
      alter table seat add constraint seat_user_email_check check (user_email = lower(user_email)) not valid;
    `);
  }
}
