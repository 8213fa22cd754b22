-- An event of a sale, in the publisher's name: it does not say who bought.
create or replace function svc_tell_sale(publisher text, event uuid, wanted uuid, facts jsonb) returns void
  language plpgsql as $$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
      begin
        perform set_config('svc.tenant_id', publisher, true);
        insert into outbox_event (tenant_id, event_id, kind, subject, data) values (publisher, event, 'bundle.sold', wanted::text, facts);
        perform set_config('svc.tenant_id', entered, true);
      end $$;
