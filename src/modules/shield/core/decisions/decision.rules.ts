import { isAlwaysOpen } from '../../../../common/call-policy/shield-call.js';
import { causeOfVoid, explainVoid } from '../approvals/approval.rules.js';
import { DRILL_AUTH_TYPE } from '../drills/drills.types.js';
import type { Denial, DigestedCall, ShieldFacts, SpendWindow, StandingSwitch, Verdict } from '../shield.types.js';

/** An effect that spends more credits than this needs an approval (D24). */
export const SPENDING_THRESHOLD_CREDITS = 100;

/** Credits of a call, and those its principal spent within the window before. */
interface Spending {
  credits: number;
  before?: number;
}

type ReadSwitch = Pick<StandingSwitch, 'scope' | 'target' | 'includeReads'>;
type Named = Pick<DigestedCall, 'action' | 'route' | 'isRead' | 'serverId'> & { principal: string };

/**
 * The decision on a call: switches that deny, then trust, then what the tenant's policy wants calls to name, then
 * whatever asks for an approval, and an approval where one is asked for.
 */
export function decideCall(call: DigestedCall, facts: ShieldFacts): Verdict {
  if (isAlwaysOpen(call.action)) return { outcome: 'allow', rule: 'always_open' };
  const standing = facts.switches.filter((one) => concerns(one, nameOf(call), facts));
  const denial = denialBySwitch(standing) ?? denialByTrust(call, facts) ?? denialByPolicy(call, facts);
  if (denial) return deny(denial);
  if (facts.approval && causeOfVoid(facts.approval, call, facts.policyVersion) === undefined)
    return { outcome: 'allow', rule: 'approved' };
  return withApproval(call, facts, needFor(standing, facts)) ?? { outcome: 'allow', rule: 'default' };
}

/**
 * The decision on credits that an admitted call turns out to spend; nothing to say within the threshold and the
 * tenant's window, or with an approval of that much.
 */
export function decideSpending(
  call: DigestedCall,
  { facts, verdict }: { facts: ShieldFacts; verdict: Verdict },
  spending: Spending,
): Verdict | undefined {
  const { credits } = spending;
  const need = needOfSpending(spending, facts.policy.spendWindow);
  if (!need) return undefined;
  if (verdict.outcome !== 'allow' || verdict.rule !== 'approved') return withApproval(call, facts, need);
  // Approved, but for less, or by somebody who was not shown the cost: an approver who sees the cost decides.
  return (facts.approval?.spendCredits ?? 0) >= credits ? undefined : { outcome: 'approval_required', ...need };
}

function needOfSpending({ credits, before = 0 }: Spending, window: SpendWindow | null) {
  if (credits > SPENDING_THRESHOLD_CREDITS) {
    const reason = `It spends ${credits} credits; more than ${SPENDING_THRESHOLD_CREDITS} need an approval`;
    return { rule: 'spending', reason, spendCredits: credits } as const;
  }
  if (!window || credits === 0 || before + credits <= window.credits) return undefined;
  const reason = `It spends ${credits} credits after ${before} in the last ${window.seconds} s; more than ${window.credits} together need an approval`;
  return { rule: 'spend_window', reason, spendCredits: credits } as const;
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

/**
 * What the tenant wants every mutation to name. Drills name nothing, and the tools of this server are registered by no
 * tenant.
 */
function denialByPolicy(call: DigestedCall, { policy, server, digest }: ShieldFacts): Denial | undefined {
  if (call.isRead || call.caller.authType === DRILL_AUTH_TYPE) return undefined;
  const { serverId, toolDigest } = call;
  if (policy.requireServerId && serverId === undefined)
    return { type: 'missing_server_id', reason: `${NAMED} the server it comes through: send x-shield-server-id` };
  if (policy.requireToolDigest && toolDigest === undefined)
    return { type: 'missing_tool_digest', reason: `${NAMED} its tool definition: send x-shield-tool-digest` };
  const isOfToolService = call.route !== undefined;
  if (!policy.requireRegistered || isOfToolService) return undefined;
  if (serverId !== undefined && !server)
    return {
      type: 'unregistered_server',
      reason: `No server ${serverId} is registered, and this tenant lets no other be named`,
    };
  if (toolDigest !== undefined && !digest && !server?.toolDigests.includes(toolDigest))
    return {
      type: 'unregistered_digest',
      reason: 'This tool definition is not registered, and this tenant lets no other be named',
    };
  return undefined;
}
const NAMED = 'The policy of this tenant wants every call that changes something to name';

type Need = {
  rule: 'marked' | 'quarantined_server' | 'spending' | 'spend_window';
  reason: string;
  spendCredits?: number;
};

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
