import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A passage is shared only while it is current: when its document is deleted, replaced or made private, other tenants see it no longer.
 * What they cited of it before stays in their own citations.
 */
export class EndSharingWithRetirement1795200200500 implements MigrationInterface {
  name = 'EndSharingWithRetirement1795200200500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop policy shared_rows on chunk');
    await runner.query(policy('retired_at is null and '));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop policy shared_rows on chunk');
    await runner.query(policy(''));
  }
}

/** Another tenant's shared passages are readable, never writable; of entitlements only the caller's own count. */
const policy = (condition: string) => `
  create policy shared_rows on chunk for select to svc_app using (
    ${condition}nullif(current_setting('svc.tenant_id', true), '') is not null and (
      shareability = 'public_safe'
      or shareability = 'entitled_only' and exists (
        select from entitlement e where e.publisher_tenant_id = chunk.tenant_id and e.corpus_id = chunk.corpus_id)))`;
