-- Moves the price of a bundle from its buyer to its publisher: what the buyer's ledger owes the other tenant stands in
-- its clearing account, what the publisher's is owed in its own. Accounts are locked in the order of tenants, then of
-- accounts. The tenant stays the buyer.
create or replace function svc_pay_tenant(buyer text, purchase uuid, agent text, publisher text, price bigint,
  actor text, words text, allowance bigint)
  returns table (done boolean, own bigint, left_of_allowance bigint, earned bigint)
  language plpgsql as $$
      declare
        sale uuid := gen_random_uuid();
      begin
        perform set_config('svc.tenant_id', buyer, true);
        if publisher collate "C" < buyer collate "C" then
          perform set_config('svc.tenant_id', publisher, true);
          perform svc_lock_accounts(array['clearing', 'earnings']);
        end if;
        select s.done, s.own, s.left_of_allowance, s.earned into done, own, left_of_allowance, earned
        from svc_spend(buyer, purchase, agent, price, 'clearing', 'bundle.purchased', purchase::text, actor, words, allowance) s;
        if done and price > 0 then
          perform set_config('svc.tenant_id', publisher, true);
          perform svc_lock_accounts(array['clearing', 'earnings']);
          perform svc_post_transfer(sale, 'bundle.sold', purchase::text, 'svc:bundles', null, words, null, array['clearing', 'earnings'], array[-price, price]);
          perform set_config('svc.tenant_id', buyer, true);
        end if;
        return next;
      end $$;
