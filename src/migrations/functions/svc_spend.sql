-- What an agent can spend, and the spending of it, in one round trip: first what is its own, then the tenant's
-- allowance of the month, then what the tenant earned. allowance is what the tier grants a month, null for an agent
-- that has nothing but its own. 0 credits only look; the month's allowance is granted by whoever comes first. done is
-- false, and nothing spent, when there is not enough. What was paid for already, by reason and reference, is done and
-- costs nothing more.
create or replace function svc_spend(me text, transfer uuid, agent text, credits bigint, target text, why text,
  about text, actor text, words text, allowance bigint)
  returns table (done boolean, own bigint, left_of_allowance bigint, earned bigint)
  language plpgsql as $$
  declare
    this_month date := svc_utc_month();
    mine text := 'agent:' || agent;
    accounts text[] := array[mine];
    is_due boolean := false;
    granted_before bigint;
    from_own bigint;
    from_allowance bigint;
  begin
    perform set_config('svc.tenant_id', me, true);
    if allowance is not null then
      accounts := accounts || array['allowance', 'earnings'];
      if not exists (select from ledger_allowance g where g.tenant_id = me and g.month = this_month and g.granted >= allowance) then
        -- Before any account is locked: whoever waits here holds nothing that another could wait for.
        insert into ledger_allowance (tenant_id, month, granted) values (me, this_month, allowance) on conflict do nothing;
        is_due := found;
      end if;
    end if;
    if is_due then
      accounts := accounts || array['issuance'];
    end if;
    if credits > 0 then
      accounts := accounts || array[target];
    end if;
    if credits > 0 or is_due then
      select sum(a.balance) filter (where a.account_id = mine), sum(a.balance) filter (where a.account_id = 'allowance'),
        sum(a.balance) filter (where a.account_id = 'earnings')
      into own, left_of_allowance, earned from svc_lock_accounts(accounts) a;
    else
      select sum(a.balance) filter (where a.account_id = mine), sum(a.balance) filter (where a.account_id = 'allowance'),
        sum(a.balance) filter (where a.account_id = 'earnings')
      into own, left_of_allowance, earned from ledger_account a where a.tenant_id = me and a.account_id = any (accounts);
    end if;
    own := coalesce(own, 0);
    left_of_allowance := coalesce(left_of_allowance, 0);
    earned := coalesce(earned, 0);
    if is_due then
      select max(g.granted) into granted_before from ledger_allowance g
      where g.tenant_id = me and g.month = this_month and g.granted <> allowance;
      if granted_before is null and left_of_allowance > 0 then
        perform svc_post_transfer(gen_random_uuid(), 'allowance.expired', to_char(this_month, 'YYYY-MM'), 'svc:allowance', null, null, null,
          array['allowance', 'issuance'], array[-left_of_allowance, left_of_allowance]);
        left_of_allowance := 0;
      end if;
      if allowance > coalesce(granted_before, 0) then
        granted_before := allowance - coalesce(granted_before, 0);
        perform svc_post_transfer(gen_random_uuid(), 'allowance.granted', to_char(this_month, 'YYYY-MM') || ':' || allowance, 'svc:allowance',
          null, null, null, array['issuance', 'allowance'], array[-granted_before, granted_before]);
        left_of_allowance := left_of_allowance + granted_before;
      end if;
    end if;
    done := credits = 0 or exists (select from ledger_transfer t where t.tenant_id = me and t.reason = why and t.reference = about);
    if not done and credits <= own + left_of_allowance + earned then
      done := true;
      from_own := least(credits, own);
      from_allowance := least(credits - from_own, left_of_allowance);
      perform svc_post_transfer(transfer, why, about, actor, agent, words, null, array[mine, 'allowance', 'earnings', target],
        array[-from_own, -from_allowance, -(credits - from_own - from_allowance), credits]);
      own := own - from_own;
      left_of_allowance := left_of_allowance - from_allowance;
      earned := earned - (credits - from_own - from_allowance);
    end if;
    return next;
  end $$;
