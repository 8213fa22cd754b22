import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Grant, Payment, Spending, Spent, TransferReason } from './economy.types.js';
import { creditsOf, walletOf, type Purse } from './wallet.rules.js';

interface SpendRow {
  done: boolean;
  own: string;
  left_of_allowance: string;
  earned: string;
}

/** Credits that move between two accounts of a tenant. */
export interface Move {
  source: string;
  target: string;
  credits: number;
  reason: TransferReason;
  reference?: string;
  principal: string;
  agentId: string;
  note?: string;
}

export type Undoing = Pick<Move, 'reason' | 'reference' | 'principal' | 'note'>;

const SPEND = 'select * from svc_spend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';

/**
 * The ledger's functions in the database; each locks what it needs in one order, so a unit of work calls one of them.
 */
@Injectable()
export class LedgerStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** In the open unit of work. */
  async spend(purse: Purse, spending: Spending, principal: string): Promise<Spent> {
    const transferId = uuid();
    const parameters = spendParameters(this.tenancy.tenant, transferId, purse, spending, principal);
    const [row] = await this.tenancy.query<SpendRow>(SPEND, parameters);
    return spentOf(transferId, row);
  }

  /** Locks what a spending of the purse locks, in the same order; a spending that follows waits for nothing. */
  async hold({ agentId, allowance }: Purse, target: string): Promise<void> {
    const accounts = [`agent:${agentId}`, ...(allowance === null ? [] : ['allowance', 'earnings']), target];
    await this.tenancy.query('select account_id from svc_lock_accounts($1::text[])', [accounts]);
  }

  /** In a transaction of its own, in one round trip. */
  async spendAtOnce(tenantId: string, purse: Purse, spending: Spending, principal: string): Promise<Spent> {
    const transferId = uuid();
    const parameters = spendParameters(tenantId, transferId, purse, spending, principal);
    const [row] = await this.tenancy.write<SpendRow>(SPEND, parameters);
    return spentOf(transferId, row);
  }

  /** In the open unit of work, which writes the payee's ledger too. */
  async payTenant(purse: Purse, payee: string, payment: Payment, principal: string): Promise<Spent> {
    const { credits, reference, note = null } = payment;
    const [row] = await this.tenancy.query<SpendRow>('select * from svc_pay_tenant($1, $2, $3, $4, $5, $6, $7, $8)', [
      this.tenancy.tenant,
      reference,
      purse.agentId,
      payee,
      credits,
      principal,
      note,
      purse.allowance,
    ]);
    return spentOf(reference, row);
  }

  /** @returns false when credits moved for this reason and reference before */
  async move(move: Move): Promise<boolean> {
    const { source, target, credits, reason, reference = null, principal, agentId, note = null } = move;
    const [row] = await this.tenancy.query<{ moved: boolean }>(
      'select svc_move_credits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as moved',
      [this.tenancy.tenant, uuid(), source, target, credits, reason, reference, principal, agentId, note],
    );
    return row!.moved;
  }

  grant({ agentId, credits, principal, note, reference }: Grant): Promise<boolean> {
    const move = { source: 'issuance', target: `agent:${agentId}`, reason: 'grant' as const };
    return this.move({ ...move, credits, principal, agentId, note, reference });
  }

  /** Gives back what the transfer took, to where it came from. @returns false when it was given back before */
  async reverse(transferId: string, { reason, reference, principal, note }: Undoing): Promise<boolean> {
    const [row] = await this.tenancy.query<{ reversed: boolean }>(
      'select svc_reverse_transfer($1, $2, $3, $4, $5, $6, $7) as reversed',
      [this.tenancy.tenant, uuid(), transferId, reason, reference ?? null, principal, note ?? null],
    );
    return row!.reversed;
  }

  async readBalance(accountId: string): Promise<number> {
    const [row] = await this.tenancy.query<{ balance: string }>(
      'select balance from ledger_account where tenant_id = $1 and account_id = $2',
      [this.tenancy.tenant, accountId],
    );
    return creditsOf(row?.balance);
  }

  async findTransfer(reason: TransferReason, reference: string): Promise<string | undefined> {
    const [row] = await this.tenancy.query<{ transfer_id: string }>(
      'select transfer_id from ledger_transfer where tenant_id = $1 and reason = $2 and reference = $3',
      [this.tenancy.tenant, reason, reference],
    );
    return row?.transfer_id;
  }
}

const spendParameters = (
  tenantId: string,
  transferId: string,
  { agentId, allowance }: Purse,
  { credits, target, reason, reference, note }: Spending,
  principal: string,
): unknown[] => [tenantId, transferId, agentId, credits, target, reason, reference, principal, note ?? null, allowance];

function spentOf(transferId: string, row: SpendRow | undefined): Spent {
  if (!row) throw new Error('the ledger did not answer');
  return { isDone: row.done, transferId, wallet: walletOf(row.own, row.left_of_allowance, row.earned) };
}
