import { isAlwaysOpen } from '../../../../common/call-policy/shield-call.js';
import { causeOfVoid, explainVoid } from '../approvals/approval.rules.js';
import type { Denial, DigestedCall, ShieldFacts, StandingSwitch, Verdict } from '../shield.types.js';

/** An effect that spends more credits than this needs an approval (D24). */
export const SPENDING_THRESHOLD_CREDITS = 100;

type ReadSwitch = Pick<StandingSwitch, 'scope' | 'target' | 'includeReads'>;
type Named = Pick<DigestedCall, 'action' | 'route' | 'isRead' | 'serverId'> & { principal: string };

/**
 * The decision on a call: switches that deny, then trust, then whatever asks for an approval, and an approval where one
 * is asked for.
 */
export function decideCall(call: DigestedCall, facts: ShieldFacts): Verdict {
  if (isAlwaysOpen(call.action)) return { outcome: 'allow', rule: 'always_open' };
  const standing = facts.switches.filter((one) => concerns(one, nameOf(call), facts));
  const denial = denialBySwitch(standing) ?? denialByTrust(call, facts);
  if (denial) return deny(denial);
  if (facts.approval && causeOfVoid(facts.approval, call, facts.policyVersion) === undefined)
    return { outcome: 'allow', rule: 'approved' };
  return withApproval(call, facts, needFor(standing, facts)) ?? { outcome: 'allow', rule: 'default' };
}

/**
 * The decision on credits that an admitted call turns out to spend; nothing to say within the threshold, or with an
 * approval of that much.
 */
export function decideSpending(
  call: DigestedCall,
  { facts, verdict }: { facts: ShieldFacts; verdict: Verdict },
  credits: number,
): Verdict | undefined {
  if (credits <= SPENDING_THRESHOLD_CREDITS) return undefined;
  const need = {
    rule: 'spending',
    reason: `It spends ${credits} credits; more than ${SPENDING_THRESHOLD_CREDITS} need an approval`,
    spendCredits: credits,
  } as const;
  if (verdict.outcome !== 'allow' || verdict.rule !== 'approved') return withApproval(call, facts, need);
  // Approved, but for less, or by somebody who was not shown the cost: an approver who sees the cost decides.
  return (facts.approval?.spendCredits ?? 0) >= credits ? undefined : { outcome: 'approval_required', ...need };
}

/**
 * Whether a switch may stop a read, as far as a process can know without the trust registry: true where it cannot know.
 */
export function mayStopRead(one: ReadSwitch, call: Named): boolean {
  return one.scope === 'publisher' ? call.serverId !== undefined && one.includeReads : concerns(one, call, NO_TRUST);
}

const NO_TRUST: Pick<ShieldFacts, 'publishers'> = { publishers: [] };
const nameOf = ({ action, route, isRead, serverId, caller }: DigestedCall): Named => ({
  action,
  route,
  isRead,
  serverId,
  principal: caller.principal,
});

function concerns(one: ReadSwitch, call: Named, { publishers }: Pick<ShieldFacts, 'publishers'>): boolean {
  const { scope, target } = one;
  if (scope === 'action') return target !== null && concernsAction(target, call);
  if (call.isRead && !one.includeReads) return false;
  switch (scope) {
    case 'tenant':
      return true;
    case 'principal':
      return target === call.principal;
    case 'server':
      return target === call.serverId;
    case 'publisher':
      return publishers.some(({ publisherId }) => publisherId === target);
  }
}

/** `POST /v1/ingest`, or everything that begins like it with a star at the end: `POST /v1/economy/*`. */
export const matchesAction = (pattern: string, action: string): boolean =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;

/** A tool's call is met by its own name and by that of the route it goes on to. */
export const concernsAction = (pattern: string, { action, route }: { action: string; route?: string }): boolean =>
  matchesAction(pattern, action) || (route !== undefined && matchesAction(pattern, route));

function denialBySwitch(standing: StandingSwitch[]): Denial | undefined {
  const found = standing.find(({ mode }) => mode === 'deny');
  return found && { type: 'kill_switch', reason: `Kill switch ${found.killSwitchId}: ${found.reason}` };
}

function denialByTrust(call: DigestedCall, { server, digest, publishers }: ShieldFacts): Denial | undefined {
  if (digest?.status === 'revoked')
    return { type: 'revoked_digest', reason: `The tool definition was revoked: ${digest.reason}` };
  const revoked = publishers.find(({ status }) => status === 'revoked');
  if (revoked)
    return { type: 'revoked_publisher', reason: `Publisher ${revoked.publisherId} was revoked: ${revoked.reason}` };
  if (!server) return undefined;
  if (server.status === 'blocked') return { type: 'blocked_server', reason: `The server is blocked: ${server.reason}` };
  if (server.toolDigests.length === 0 || server.toolDigests.includes(call.toolDigest ?? '')) return undefined;
  const what =
    call.toolDigest === undefined ? 'The call names no tool definition' : 'This tool definition is not pinned';
  return { type: 'untrusted_digest', reason: `${what}, and the server is trusted with pinned ones alone` };
}

type Need = { rule: 'marked' | 'quarantined_server' | 'spending'; reason: string; spendCredits?: number };

function needFor(standing: StandingSwitch[], { server }: ShieldFacts): Need | undefined {
  const mark = standing.find(({ mode }) => mode === 'require_approval');
  if (mark) return { rule: 'marked', reason: mark.reason };
  if (server?.status !== 'quarantined') return undefined;
  return { rule: 'quarantined_server', reason: `The server is quarantined: ${server.reason}` };
}

/**
 * Where an approval is needed, a token that does not fit is refused with its reason rather than passed over for a new
 * request.
 */
function withApproval(call: DigestedCall, facts: ShieldFacts, need: Need | undefined): Verdict | undefined {
  if (!need) return undefined;
  if (call.approvalToken === undefined) return { outcome: 'approval_required', ...need };
  const cause = facts.approval ? causeOfVoid(facts.approval, call, facts.policyVersion) : 'unknown';
  return deny({ type: 'approval_void', reason: explainVoid(cause ?? 'used', facts.approval), cause: cause ?? 'used' });
}

const deny = (denial: Denial): Verdict => ({ outcome: 'deny', rule: denial.type, denial });
