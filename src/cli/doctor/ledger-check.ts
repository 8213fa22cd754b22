import type { Check } from '../../common/health/check.js';

type Ask = <Row extends object>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** That the credits add up: what the database enforces on every posting, looked at as a whole. */
export const ledgerCheck = (ask: Ask): Check => ({
  name: 'ledger',
  remedy: 'Credits were changed past the application. Find out by whom, and restore a backup from before.',
  run: async () => {
    const [row] = await ask<{ accounts: number; total: string; wrong: number; unbalanced: number; open: string }>(
      LEDGER,
    );
    const faults = [
      ...(row!.wrong > 0 ? [`${row!.wrong} balances differ from the sum of their entries`] : []),
      ...(row!.unbalanced > 0 ? [`${row!.unbalanced} transfers do not sum to zero`] : []),
      ...(row!.total !== '0' ? [`all balances sum to ${row!.total}`] : []),
      ...(row!.open !== '0' ? [`what tenants owe each other sums to ${row!.open}`] : []),
    ];
    if (faults.length > 0) throw new Error(faults.join('; '));
    return `${row!.accounts} accounts; balances and transfers sum to zero`;
  },
});

/** While a tenant is erased, its accounts do not add up; what it owed other tenants is kept apart. */
const LEDGER = `
  with erased as (select tenant_id, erased_clearing from tenant where erasure_began_at is not null),
  account as (select * from ledger_account a where not exists (select from erased e where e.tenant_id = a.tenant_id)),
  entry as (select * from ledger_entry n where not exists (select from erased e where e.tenant_id = n.tenant_id))
  select
    (select count(*)::int from account) as accounts,
    (select coalesce(sum(balance), 0)::text from account) as total,
    ((select coalesce(sum(balance), 0) from account where kind = 'clearing')
      + (select coalesce(sum(erased_clearing), 0) from erased))::text as open,
    (select count(*)::int from account a left join (
       select tenant_id, account_id, sum(amount) as amount from entry group by tenant_id, account_id) e using (tenant_id, account_id)
     where a.balance <> coalesce(e.amount, 0)) as wrong,
    (select count(*)::int from (
       select from entry group by tenant_id, transfer_id having sum(amount) <> 0) t) as unbalanced`;
