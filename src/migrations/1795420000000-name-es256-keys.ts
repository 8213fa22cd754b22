import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys on P-256, each by the receipt in which a signing key names it: COSE_Sign1, which says all there is to know. */
export class NameEs256Keys1795420000000 implements MigrationInterface {
  name = 'NameEs256Keys1795420000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table es256_key (
        kid text primary key,
        statement bytea not null,
        named_at timestamptz not null default now()
      );
      grant select on es256_key to svc_app;
      grant select, insert on es256_key to svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table es256_key');
  }
}
