-- The sampling policies as they are: no policy version says that they changed.
create or replace function svc_sampling_fingerprint(me text) returns text language sql stable as $$
    select md5(string_agg(o::text, ' ' order by o.sampling_policy_id)) from shield_sampling_policy o
    where o.tenant_id = me and o.rate_per_million > 0
  $$;
