import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The credits of every tenant in double entry. The database itself refuses what must not be: a transfer that does not sum to zero, an
 * overdraft, a balance that is written by hand, a change to what was posted. See docs/economy.md.
 */
export class CreateLedger1795264000000 implements MigrationInterface {
  name = 'CreateLedger1795264000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(INVARIANTS);
    await runner.query(POSTING);
    await runner.query(SPENDING);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_spend(text, uuid, text, bigint, text, text, text, text, text, bigint),
        svc_reverse_transfer(text, uuid, uuid, text, text, text, text), svc_move_credits(text, uuid, text, text, bigint, text, text, text, text, text),
        svc_post_transfer(uuid, text, text, text, text, text, uuid, text[], bigint[]), svc_lock_accounts(text[]), svc_utc_month();
      drop table ledger_entry, ledger_allowance, ledger_transfer, ledger_account cascade;
      drop function svc_keep_balances(), svc_check_transfer();
    `);
  }
}

const TABLES = `
  -- An account is named by its kind, and by its agent where every agent has one: agent:researcher, escrow:researcher, allowance.
  create table ledger_account (
    tenant_id text not null references tenant,
    account_id text collate "C" not null,
    kind text not null check (kind in ('issuance', 'allowance', 'agent', 'earnings', 'escrow', 'revenue', 'platform', 'discount', 'clearing')),
    agent_id text check (length(agent_id) between 1 and 512),
    balance bigint not null default 0,
    opened_at timestamptz not null default now(),
    primary key (tenant_id, account_id),
    check (account_id = kind || coalesce(':' || agent_id, '')),
    check ((kind in ('agent', 'escrow')) = (agent_id is not null)),
    -- What was issued, and what is owed between tenants, is counted below zero; nothing else can be spent before it is there.
    constraint ledger_no_overdraft check (balance >= 0 or kind in ('issuance', 'clearing'))
  );
  select svc_secure_table('ledger_account');

  create table ledger_transfer (
    tenant_id text not null,
    transfer_id uuid not null,
    reason text not null check (length(reason) between 1 and 64),
    -- What it was for: a retrieval, a proof job, a conversion. No two transfers of one reason are for the same thing.
    reference text check (length(reference) between 1 and 200),
    principal text not null check (length(principal) between 1 and 200),
    agent_id text check (length(agent_id) between 1 and 512),
    note text check (length(note) <= 2000),
    reverses uuid,
    created_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, transfer_id),
    foreign key (tenant_id, reverses) references ledger_transfer
  );
  create unique index ledger_transfer_once on ledger_transfer (tenant_id, reason, reference) where reference is not null;
  create unique index ledger_transfer_reversed_once on ledger_transfer (tenant_id, reverses) where reverses is not null;
  create index ledger_transfer_agent on ledger_transfer (tenant_id, agent_id, created_at);
  select svc_secure_table('ledger_transfer');

  create table ledger_entry (
    tenant_id text not null,
    transfer_id uuid not null,
    entry_no smallint not null,
    account_id text collate "C" not null,
    amount bigint not null check (amount <> 0),
    primary key (tenant_id, transfer_id, entry_no),
    foreign key (tenant_id, transfer_id) references ledger_transfer,
    foreign key (tenant_id, account_id) references ledger_account
  );
  create index ledger_entry_account on ledger_entry (tenant_id, account_id);
  select svc_secure_table('ledger_entry');

  -- What was granted for a UTC month, a row each time the tier's allowance grew in it: who inserts the row makes the grant.
  create table ledger_allowance (
    tenant_id text not null,
    month date not null check (extract(day from month) = 1),
    granted bigint not null check (granted > 0),
    primary key (tenant_id, month, granted)
  );
  select svc_secure_table('ledger_allowance');

  -- Append-only for everyone who is not the owner; a balance is nobody's to write.
  revoke update, delete on ledger_transfer, ledger_entry, ledger_account from svc_app, svc_operator;
  revoke insert on ledger_account from svc_app, svc_operator;
  grant insert (tenant_id, account_id, kind, agent_id) on ledger_account to svc_app, svc_operator;
  revoke update, delete on ledger_allowance from svc_app;
`;

const INVARIANTS = `
  -- The triggers run as the owner: they see every entry of a transfer whatever tenant the transaction ends in, and they alone write balances.
  create policy keeper_rows on ledger_account to current_user using (true) with check (true);
  create policy keeper_rows on ledger_entry to current_user using (true) with check (true);
  create policy keeper_rows on ledger_transfer to current_user using (true) with check (true);

  create function svc_keep_balances() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    -- One order everywhere, so that two transfers never wait for each other.
    perform from ledger_account a where (a.tenant_id, a.account_id) in (select e.tenant_id, e.account_id from posted e)
      order by a.tenant_id collate "C", a.account_id for no key update;
    update ledger_account a set balance = a.balance + e.amount
    from (select tenant_id, account_id, sum(amount)::bigint as amount from posted group by tenant_id, account_id) e
    where a.tenant_id = e.tenant_id and a.account_id = e.account_id;
    return null;
  end $$;
  create trigger keep_balances after insert on ledger_entry referencing new table as posted
    for each statement execute function svc_keep_balances();

  -- At commit: a transfer has at least two entries, and they sum to zero. An entry added to an old transfer is held against it as well.
  create function svc_check_transfer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    entries bigint;
    total numeric;
  begin
    select count(*), coalesce(sum(e.amount), 0) into entries, total
    from ledger_entry e where e.tenant_id = new.tenant_id and e.transfer_id = new.transfer_id;
    if entries < 2 or total <> 0 then
      raise exception 'ledger transfer % is not balanced: % entries that sum to %', new.transfer_id, entries, total
        using errcode = 'check_violation', constraint = 'ledger_transfer_balanced';
    end if;
    return null;
  end $$;
  create constraint trigger balanced after insert on ledger_transfer deferrable initially deferred
    for each row execute function svc_check_transfer();
  create constraint trigger balanced after insert on ledger_entry deferrable initially deferred
    for each row execute function svc_check_transfer();
`;

const POSTING = `
  -- Opens the accounts that are not there yet and locks them all, in one order. Runs as the owner because a row lock needs the right to
  -- write, which nobody else has; it reaches only the tenant of the transaction. A transaction calls it once: see docs/economy.md.
  create function svc_lock_accounts(wanted text[]) returns setof ledger_account
    language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    me text := nullif(current_setting('svc.tenant_id', true), '');
  begin
    if me is null then
      raise exception 'no tenant is set';
    end if;
    insert into ledger_account (tenant_id, account_id, kind, agent_id)
    select me, w.account_id, split_part(w.account_id, ':', 1),
      case when strpos(w.account_id, ':') > 0 then substr(w.account_id, strpos(w.account_id, ':') + 1) end
    from (select distinct unnest(wanted) collate "C" as account_id) w
    where not exists (select from ledger_account a where a.tenant_id = me and a.account_id = w.account_id)
    order by w.account_id on conflict do nothing;
    return query select a.* from ledger_account a where a.tenant_id = me and a.account_id = any (wanted)
      order by a.account_id for no key update;
  end $$;

  -- Writes a transfer of the tenant of the transaction; amounts of 0 are left out.
  create function svc_post_transfer(transfer uuid, why text, about text, actor text, agent text, words text, undone uuid, accounts text[], amounts bigint[])
    returns void language plpgsql as $$
  declare
    me text := nullif(current_setting('svc.tenant_id', true), '');
  begin
    insert into ledger_transfer (tenant_id, transfer_id, reason, reference, principal, agent_id, note, reverses)
    values (me, transfer, why, about, actor, agent, words, undone);
    insert into ledger_entry (tenant_id, transfer_id, entry_no, account_id, amount)
    select me, transfer, row_number() over (order by e.place), e.account_id, e.amount
    from unnest(accounts, amounts) with ordinality e(account_id, amount, place) where e.amount <> 0;
  end $$;

  -- Moves credits between two accounts; done once for each reason and reference.
  create function svc_move_credits(me text, transfer uuid, source text, target text, credits bigint, why text, about text, actor text, agent text, words text)
    returns boolean language plpgsql as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    perform svc_lock_accounts(array[source, target]);
    if exists (select from ledger_transfer t where t.tenant_id = me and t.reason = why and t.reference = about) then
      return false;
    end if;
    perform svc_post_transfer(transfer, why, about, actor, agent, words, null, array[source, target], array[-credits, credits]);
    return true;
  end $$;

  -- Undoes a transfer: every account gets back what it gave. False when there is none, or it was undone before.
  create function svc_reverse_transfer(me text, transfer uuid, undone uuid, why text, about text, actor text, words text)
    returns boolean language plpgsql as $$
  declare
    accounts text[];
    amounts bigint[];
    agent text;
  begin
    perform set_config('svc.tenant_id', me, true);
    select array_agg(e.account_id order by e.entry_no), array_agg(-e.amount order by e.entry_no) into accounts, amounts
    from ledger_entry e where e.tenant_id = me and e.transfer_id = undone;
    if accounts is null then
      return false;
    end if;
    perform svc_lock_accounts(accounts);
    if exists (select from ledger_transfer t where t.tenant_id = me and t.reverses = undone) then
      return false;
    end if;
    select t.agent_id into agent from ledger_transfer t where t.tenant_id = me and t.transfer_id = undone;
    perform svc_post_transfer(transfer, why, about, actor, agent, words, undone, accounts, amounts);
    return true;
  end $$;
`;

const SPENDING = `
  create function svc_utc_month() returns date language sql stable as $$
    select date_trunc('month', now() at time zone 'UTC')::date
  $$;

  -- What an agent can spend, and the spending of it, in one round trip: first what is its own, then the tenant's allowance of the month,
  -- then what the tenant earned. allowance is what the tier grants a month, null for an agent that has nothing but its own. 0 credits only
  -- look; the month's allowance is granted by whoever comes first. done is false, and nothing spent, when there is not enough.
  -- What was paid for already, by reason and reference, is done and costs nothing more.
  create function svc_spend(me text, transfer uuid, agent text, credits bigint, target text, why text, about text, actor text, words text, allowance bigint)
    returns table (done boolean, own bigint, left_of_allowance bigint, earned bigint) language plpgsql as $$
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
  grant execute on function svc_utc_month(), svc_lock_accounts(text[]),
    svc_post_transfer(uuid, text, text, text, text, text, uuid, text[], bigint[]),
    svc_move_credits(text, uuid, text, text, bigint, text, text, text, text, text),
    svc_reverse_transfer(text, uuid, uuid, text, text, text, text),
    svc_spend(text, uuid, text, bigint, text, text, text, text, text, bigint) to svc_app, svc_operator;
`;
