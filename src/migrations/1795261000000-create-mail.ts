import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails that wait to be delivered. A row leaves with its delivery, so that what a mail holds (an invitation's link) is kept no longer than it must. */
export class CreateMail1795261000000 implements MigrationInterface {
  name = 'CreateMail1795261000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table outgoing_mail (
        tenant_id text not null references tenant,
        mail_id uuid not null,
        recipient text not null,
        subject text not null,
        body text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, mail_id)
      );
      create index outgoing_mail_age on outgoing_mail (created_at);
      select svc_secure_table('outgoing_mail');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outgoing_mail');
  }
}
