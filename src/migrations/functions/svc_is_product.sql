-- Whether a process of the product acts, be it within a function of the owner's. Whoever else is connected, the owner
-- on a command line too, is not one.
create or replace function svc_is_product() returns boolean
  language sql stable as $$
    select coalesce(nullif(current_setting('role'), 'none'), session_user) in ('svc_app', 'svc_operator')
  $$;
