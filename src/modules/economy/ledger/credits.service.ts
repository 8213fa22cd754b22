import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Forbidden } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { expiryOf } from './conversion.rules.js';
import { type ConversionRow, ConversionsStore } from './conversions.store.js';
import { type CreditBalance, CURRENCY, type EscrowItem, type EscrowPage, type EscrowQuery } from './credits.dto.js';
import type { Wallet } from './economy.types.js';
import { LedgerService } from './ledger.service.js';
import { creditsOf, nextMonth, purseOf } from './wallet.rules.js';

/** What an agent has. */
@Injectable()
export class CreditsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly ledger: LedgerService,
    private readonly conversions: ConversionsStore,
  ) {}

  readBalance(caller: TenantCaller, agentId: string): Promise<CreditBalance> {
    checkOwn(caller, agentId);
    return this.tenancy.run(caller.tenantId, async () => {
      const wallet = await this.ledger.readWallet(caller, agentId);
      const { month } = await this.conversions.readMonth();
      const { allowance } = purseOf(caller, agentId);
      return {
        agentId,
        balance: wallet.balance,
        breakdown: partsOf(wallet),
        escrow: await this.ledger.readEscrow(agentId),
        allowance: { month, monthlyCredits: allowance, renewsAt: allowance === null ? null : nextMonth(month) },
        tier: caller.tier,
        asOf: new Date().toISOString(),
      };
    });
  }

  listEscrow(caller: TenantCaller, agentId: string, { status, limit, cursor }: EscrowQuery): Promise<EscrowPage> {
    checkOwn(caller, agentId);
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.conversions.list(agentId, status, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.requested_us, row.conversion_id]);
      return { agentId, escrow: await this.ledger.readEscrow(agentId), items: page.map(itemOf), next_cursor };
    });
  }
}

export const partsOf = ({ own, allowance, earnings }: Wallet) => ({ own, allowance, earnings });

/** An agent without a sponsor shares its tenant with others of its kind, and sees itself alone. */
function checkOwn({ role, principal }: TenantCaller, agentId: string): void {
  if (role !== 'discovery' || principal === `agent:${agentId}`) return;
  throw new Forbidden({}, 'An agent without a sponsor sees its own credits alone: name your agentPrincipalId');
}

const itemOf = (row: ConversionRow): EscrowItem => ({
  conversionId: row.conversion_id,
  status: row.state,
  credits: creditsOf(row.credits),
  pence: creditsOf(row.pence),
  currency: CURRENCY,
  month: row.month,
  requestedBy: row.requested_by,
  createdAt: row.requested_at.toISOString(),
  expectedAt: row.expected_at.toISOString(),
  expiresAt: expiryOf(row.requested_at).toISOString(),
  settledAt: row.settled_at?.toISOString() ?? null,
  failureReason: row.failure_reason,
});
