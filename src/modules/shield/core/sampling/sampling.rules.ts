import { concernsAction } from '../decisions/decision.rules.js';
import type { Outcome, SamplingRule } from '../shield.types.js';
import { sha256 } from '../../../../evidence/sha256.js';

/** The decision that may be kept for review. */
export interface Samplable {
  decisionId: string;
  action: string;
  /** Of a tool's call: the route it goes on to. */
  route?: string;
  outcome: Outcome;
  principal: string;
}

/** The policies that keep a decision for review. The same decision and policy always give the same answer: no dice. */
export const sampledBy = (decision: Samplable, rules: SamplingRule[]): string[] =>
  rules.filter((rule) => matches(rule, decision) && isChosen(rule, decision)).map((rule) => rule.samplingPolicyId);

const matches = (rule: SamplingRule, decision: Samplable): boolean =>
  (rule.action === null || concernsAction(rule.action, decision)) &&
  (rule.outcome === null || rule.outcome === decision.outcome) &&
  (rule.principal === null || rule.principal === decision.principal);

/** The first 48 bits of SHA-256 over both ids, as a share of all they could be, against the rate. */
function isChosen({ samplingPolicyId, ratePerMillion }: SamplingRule, { decisionId }: Samplable): boolean {
  const hash = sha256(`${decisionId} ${samplingPolicyId}`);
  return BigInt(hash.readUIntBE(0, 6)) * 1_000_000n < BigInt(ratePerMillion) << 48n;
}
