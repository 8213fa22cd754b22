-- An event for the tenant whose view has changed, whoever changed it.
create or replace function svc_emit_entitlement() returns trigger
  language plpgsql as $$
      declare
        entitlement record := coalesce(new, old);
      begin
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        values (entitlement.tenant_id, gen_random_uuid(), case when tg_op = 'DELETE' then 'entitlement.ended' else 'entitlement.granted' end,
          entitlement.corpus_id, jsonb_build_object('publisher', entitlement.publisher_tenant_id, 'corpusId', entitlement.corpus_id));
        return null;
      end $$;
