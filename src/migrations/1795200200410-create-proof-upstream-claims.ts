import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which tenant uses which ids of a proof upstream that all tenants of this server share. */
export class CreateProofUpstreamClaims1795200200410 implements MigrationInterface {
  name = 'CreateProofUpstreamClaims1795200200410';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table proof_upstream_claim (
        tenant_id text not null,
        kind text not null check (kind in ('job', 'receipt', 'answer', 'artefact', 'agent')),
        id text not null,
        claimed_at timestamptz not null default now(),
        primary key (tenant_id, kind, id)
      );
      create index proof_upstream_claim_id on proof_upstream_claim (kind, id);
      select svc_secure_table('proof_upstream_claim');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table proof_upstream_claim;');
  }
}
