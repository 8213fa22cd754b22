create or replace function svc_count_bundle_sales(publisher text, wanted uuid) returns bigint
  language plpgsql stable as $$
      declare
        sales bigint;
      begin
        perform set_config('svc.counted_publisher', publisher, true);
        select count(*) into sales from bundle_purchase p where p.publisher_tenant_id = publisher and p.bundle_id = wanted;
        perform set_config('svc.counted_publisher', '', true);
        return sales;
      end $$;
