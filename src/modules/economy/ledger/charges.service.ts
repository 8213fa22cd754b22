import { Injectable } from '@nestjs/common';
import type { Charge, Spender, Spent, Wallet } from './economy.types.js';
import { LedgerService } from './ledger.service.js';
import { LedgerStore } from './ledger.store.js';

/**
 * Takes credits for the use of the service. Nothing happens for 0 credits; for one reason and reference credits are
 * taken once.
 */
@Injectable()
export class ChargesService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly store: LedgerStore,
  ) {}

  /**
   * Charges in the open unit of work, so that the charge stands exactly when its effect does.
   * @returns what is left, or undefined when nothing was to be charged
   * @throws CreditsExhausted
   */
  async charge(caller: Spender, charge: Charge): Promise<Wallet | undefined> {
    if (charge.credits === 0) return undefined;
    return (await this.take(caller, charge)).wallet;
  }

  /** {@link charge} of 1 credit or more. @returns the transfer too @throws CreditsExhausted */
  take(caller: Spender, charge: Charge): Promise<Spent> {
    return this.ledger.spend(caller, { ...charge, target: REVENUE });
  }

  /** Makes sure that a later {@link charge} of the open unit of work waits for nothing. */
  hold(caller: Spender, agentId: string): Promise<void> {
    return this.ledger.hold(caller, agentId, REVENUE);
  }

  /** {@link charge} outside a unit of work, in one round trip. */
  async chargeAtOnce(caller: Spender, charge: Charge): Promise<Wallet | undefined> {
    if (charge.credits === 0) return undefined;
    return (await this.ledger.spendAtOnce(caller, { ...charge, target: REVENUE })).wallet;
  }

  /**
   * Gives back what was charged for a reference, in the open unit of work of its tenant; once, and nothing where
   * nothing was charged.
   */
  async refund(reason: Charge['reason'], reference: string, principal: string): Promise<boolean> {
    const transferId = await this.store.findTransfer(reason, reference);
    if (!transferId) return false;
    return this.store.reverse(transferId, { reason: 'refund', reference: `${reason}:${reference}`, principal });
  }
}

const REVENUE = 'revenue';
