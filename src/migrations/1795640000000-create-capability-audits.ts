import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tenants judged of capabilities. */
export class CreateCapabilityAudits1795640000000 implements MigrationInterface {
  name = 'CreateCapabilityAudits1795640000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table capability_audit (
        tenant_id text not null,
        capability_id text collate "C" not null,
        version integer not null check (version > 0),
        status text not null
          constraint capability_audit_status_check check (status in ('unaudited', 'passed', 'failed', 'waived')),
        auditor text not null,
        notes text,
        screened json not null default '[]',
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, capability_id, version)
      );
      select svc_secure_table('capability_audit');
      revoke update, delete on capability_audit from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table capability_audit');
  }
}
