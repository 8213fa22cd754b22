/** What metered work cost. */
export interface BurnedCredits {
  spent: number;
  balance_after: number;
  /** In the ledger. */
  transfer_id: string;
}
