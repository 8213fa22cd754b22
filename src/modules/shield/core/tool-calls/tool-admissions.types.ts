import type { ToolCall } from '../../../../common/call-policy/tool-call-signer.js';

/** A tool call that asks to go on to the API. */
export interface ToolCallToAdmit extends ToolCall {
  approvalToken?: string;
  /** Credits that the arguments say it spends. */
  spendsCredits?: number;
  /** Whether an approval is used up with the decision: of what has no effect at the API, which uses it with that. */
  usesApprovalNow: boolean;
  /** Of a mutation: where the API keeps its answer for repeats; the path encoded, without the query. */
  effect?: { method: string; path: string; idempotencyKey: () => Promise<string> };
}

export interface ToolAdmission {
  /** The decision, committed with its event; none where the call only repeats its stored answer. */
  decisionId: string | undefined;
}
