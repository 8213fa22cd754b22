-- The lower of two tiers; the one that is there where the other is null.
create or replace function svc_lower_tier(one text, other text) returns text
  language sql immutable parallel safe as $$
    select (array['free', 'starter', 'pro', 'team'])[least(
      array_position(array['free', 'starter', 'pro', 'team'], one), array_position(array['free', 'starter', 'pro', 'team'], other))]
  $$;
