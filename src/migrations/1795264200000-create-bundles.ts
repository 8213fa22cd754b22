import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bundles that tenants offer, and the purchases that entitle others to their corpora. */
export class CreateBundles1795264200000 implements MigrationInterface {
  name = 'CreateBundles1795264200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table bundle (
        tenant_id text not null references tenant,
        bundle_id uuid not null,
        title text not null,
        description text not null,
        corpora text[] not null check (cardinality(corpora) between 1 and 100),
        price_credits bigint not null check (price_credits >= 0),
        status text not null default 'published' check (status in ('published', 'withdrawn')),
        published_by text not null,
        published_at timestamptz not null default now(),
        changed_by text not null,
        changed_at timestamptz not null default now(),
        withdrawn_reason text,
        primary key (tenant_id, bundle_id)
      );
      create index bundle_by_id on bundle (bundle_id);
      create index bundle_catalogue on bundle (published_at, bundle_id) where status = 'published';
      select svc_secure_table('bundle');
      revoke delete on bundle from svc_app;
      -- The catalogue: what is for sale can be read by every tenant and written by its own.
      create policy shared_rows on bundle for select to svc_app using (
        nullif(current_setting('svc.tenant_id', true), '') is not null and status = 'published');

      create table bundle_purchase (
        tenant_id text not null references tenant,
        purchase_id uuid not null,
        publisher_tenant_id text not null,
        bundle_id uuid not null,
        agent_id text not null,
        corpora text[] not null,
        price_credits bigint not null check (price_credits >= 0),
        purchased_by text not null,
        purchased_at timestamptz not null default now(),
        primary key (tenant_id, purchase_id),
        -- A bundle is bought once by a tenant.
        unique (tenant_id, publisher_tenant_id, bundle_id)
      );
      create index bundle_purchase_sales on bundle_purchase (publisher_tenant_id, bundle_id);
      select svc_secure_table('bundle_purchase');
      revoke update, delete on bundle_purchase from svc_app, svc_operator;

      -- How many documents a buyer gets: counted for the catalogue alone, in the publisher's name, of what is for sale.
      create function svc_count_bundle_documents(publisher text, wanted uuid) returns bigint language plpgsql stable as $$
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

      -- How many tenants bought a bundle of the tenant of the transaction: a number, and no buyer's name.
      create policy sales on bundle_purchase for select to svc_app using (
        publisher_tenant_id = nullif(current_setting('svc.counted_publisher', true), '')
        and publisher_tenant_id = nullif(current_setting('svc.tenant_id', true), ''));
      create function svc_count_bundle_sales(publisher text, wanted uuid) returns bigint language plpgsql stable as $$
      declare
        sales bigint;
      begin
        perform set_config('svc.counted_publisher', publisher, true);
        select count(*) into sales from bundle_purchase p where p.publisher_tenant_id = publisher and p.bundle_id = wanted;
        perform set_config('svc.counted_publisher', '', true);
        return sales;
      end $$;

      -- Moves the price of a bundle from its buyer to its publisher: what the buyer's ledger owes the other tenant stands in its clearing account, what
      -- the publisher's is owed in its own. Accounts are locked in the order of tenants, then of accounts. The tenant stays the buyer.
      create function svc_pay_tenant(buyer text, purchase uuid, agent text, publisher text, price bigint, actor text, words text, allowance bigint)
        returns table (done boolean, own bigint, left_of_allowance bigint, earned bigint) language plpgsql as $$
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

      -- An event of a sale, in the publisher's name: it is not told who bought.
      create function svc_tell_sale(publisher text, event uuid, wanted uuid, facts jsonb) returns void language plpgsql as $$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
      begin
        perform set_config('svc.tenant_id', publisher, true);
        insert into outbox_event (tenant_id, event_id, kind, subject, data) values (publisher, event, 'bundle.sold', wanted::text, facts);
        perform set_config('svc.tenant_id', entered, true);
      end $$;

      grant execute on function svc_count_bundle_documents(text, uuid), svc_count_bundle_sales(text, uuid), svc_tell_sale(text, uuid, uuid, jsonb),
        svc_pay_tenant(text, uuid, text, text, bigint, text, text, bigint) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_pay_tenant(text, uuid, text, text, bigint, text, text, bigint), svc_tell_sale(text, uuid, uuid, jsonb),
        svc_count_bundle_documents(text, uuid), svc_count_bundle_sales(text, uuid);
      drop table bundle_purchase, bundle cascade;
    `);
  }
}
