import { problem } from '../../../common/problem/problem.js';

export class AgentUnknown extends problem<{ agentPrincipalId: string }>(
  404,
  'AgentUnknown',
  'There is no such agent',
) {}

export class AgentAlreadySponsored extends problem<{ agentPrincipalId: string }>(
  409,
  'AgentAlreadySponsored',
  'Another tenant sponsors this agent',
) {}

export class AgentEnded extends problem<{ agentPrincipalId: string }>(
  409,
  'AgentEnded',
  'The registration of this agent is over',
) {}

export class RegistrationsLimited extends problem<{ retryAfterSec: number }>(
  429,
  'RegistrationsLimited',
  'Too many agents registered from this address',
) {}

/** The budget or the day's queries of an agent without a sponsor are used up (D15). */
export class QuotaExhausted extends problem<{
  creditBalance: number;
  dailyRemaining: number;
  upgradeUrl: string;
  retryAfterSec?: number;
}>(429, 'QuotaExhausted', 'What this agent may do without a sponsor is used up') {
  /** The budget is not renewed; the day's queries are. */
  override get retryable(): boolean {
    return this.facts.retryAfterSec !== undefined;
  }
}
