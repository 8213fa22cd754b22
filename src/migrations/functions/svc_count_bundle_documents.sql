-- How many documents a buyer gets: counted for the catalogue alone, in the publisher's name, of what is for sale.
create or replace function svc_count_bundle_documents(publisher text, wanted uuid) returns bigint
  language plpgsql stable as $$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
        found_documents bigint;
      begin
        perform set_config('svc.tenant_id', publisher, true);
        select count(*) into found_documents from bundle b join document d on d.tenant_id = b.tenant_id and d.corpus_id = any (b.corpora)
        where b.tenant_id = publisher and b.bundle_id = wanted and d.current_version is not null and d.shareability = 'entitled_only';
        perform set_config('svc.tenant_id', entered, true);
        return found_documents;
      end $$;
