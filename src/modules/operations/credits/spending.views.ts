import type { CreditSpendingRow } from './credit-spending.entity.js';
import type { SpentCredits } from './spending.dto.js';

export const spentCreditsOf = (row: CreditSpendingRow, repeated: boolean): SpentCredits => ({
  transfer_id: row.transferId,
  agent_id: row.agentId,
  credits: row.credits,
  reference: row.reference,
  balance_after: row.ownAfter + row.allowanceAfter + row.earningsAfter,
  breakdown: { own: row.ownAfter, allowance: row.allowanceAfter, earnings: row.earningsAfter },
  repeated,
  receipt_id: row.receiptId,
  spent_at: row.spentAt.toISOString(),
});
