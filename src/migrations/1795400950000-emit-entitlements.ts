import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Watches hear of what comes into a tenant's view, and of what leaves it, by events of its entitlements. */
export class EmitEntitlements1795400950000 implements MigrationInterface {
  name = 'EmitEntitlements1795400950000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function svc_emit_entitlement() returns trigger language plpgsql as $$
      declare
        entitlement record := coalesce(new, old);
      begin
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        values (entitlement.tenant_id, gen_random_uuid(), case when tg_op = 'DELETE' then 'entitlement.ended' else 'entitlement.granted' end,
          entitlement.corpus_id, jsonb_build_object('publisher', entitlement.publisher_tenant_id, 'corpusId', entitlement.corpus_id));
        return null;
      end $$;
      create trigger emit after insert or delete on entitlement for each row execute function svc_emit_entitlement();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger emit on entitlement; drop function svc_emit_entitlement();');
  }
}
