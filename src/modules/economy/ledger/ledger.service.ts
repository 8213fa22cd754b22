import { Injectable } from '@nestjs/common';
import { UpgradeAddress } from '../../../common/http/upgrade-address.js';
import { CreditsExhausted } from './economy.problems.js';
import type { Grant, Payment, Spender, Spending, Spent, Wallet } from './economy.types.js';
import { LedgerStore } from './ledger.store.js';
import { purseOf } from './wallet.rules.js';

/**
 * Credits of the open unit of work's tenant, in double entry. One posting a unit of work: every posting locks its
 * accounts in one order, which two of them together would not keep.
 */
@Injectable()
export class LedgerService {
  constructor(
    private readonly store: LedgerStore,
    private readonly upgradeAddress: UpgradeAddress,
  ) {}

  /** Gives an agent credits of its own. @returns false when it was given them for this reference before */
  grant(grant: Grant): Promise<boolean> {
    return this.store.grant(grant);
  }

  /** What an agent can spend now; grants the month's allowance when nobody has yet. */
  async readWallet(caller: Spender, agentId: string): Promise<Wallet> {
    return (await this.store.spend(purseOf(caller, agentId), { ...NOTHING, agentId }, caller.principal)).wallet;
  }

  /**
   * Locks what the agent's spending will lock, until the unit of work ends: for one that cannot come before its
   * receipts, for which others wait with these accounts locked.
   */
  async hold(caller: Spender, agentId: string, target: string): Promise<void> {
    // Whoever looks first grants the month's allowance, which locks one account more.
    await this.readWallet(caller, agentId);
    await this.store.hold(purseOf(caller, agentId), target);
  }

  /** @throws CreditsExhausted when there are not enough credits; nothing has moved then */
  async spend(caller: Spender, spending: Spending): Promise<Spent> {
    const spent = await this.store.spend(purseOf(caller, spending.agentId), spending, caller.principal);
    return this.settled(spending.credits, spent);
  }

  /**
   * Pays another tenant, whose earnings it adds to.
   * @throws CreditsExhausted when there are not enough credits; nothing has moved then
   */
  async payTenant(caller: Spender, payee: string, payment: Payment): Promise<Wallet> {
    const spent = await this.store.payTenant(purseOf(caller, payment.agentId), payee, payment, caller.principal);
    return this.settled(payment.credits, spent).wallet;
  }

  /** {@link spend} outside a unit of work: a transaction of its own in one round trip. */
  async spendAtOnce(caller: Spender, spending: Spending): Promise<Spent> {
    const purse = purseOf(caller, spending.agentId);
    return this.settled(
      spending.credits,
      await this.store.spendAtOnce(caller.tenantId, purse, spending, caller.principal),
    );
  }

  /** Credits that are held for an agent's conversions. */
  readEscrow(agentId: string): Promise<number> {
    return this.store.readBalance(`escrow:${agentId}`);
  }

  private settled(credits: number, spent: Spent): Spent {
    if (spent.isDone) return spent;
    throw this.exhausted(credits, spent.wallet.balance);
  }

  /** The refusal of a spending that the balance does not cover. */
  exhausted(credits: number, creditBalance: number): CreditsExhausted {
    return new CreditsExhausted(
      { creditBalance, upgradeUrl: this.upgradeAddress.url },
      `This costs ${credits} credits and ${creditBalance} can be spent. A higher tier, a grant or sales of bundles bring more; the allowance is renewed on the first of the month (UTC)`,
    );
  }
}

const NOTHING = { credits: 0, reason: 'retrieval', reference: '', target: 'revenue' } as const;
