import type { DigestedCall, Outcome, PolicySettings, ShieldFacts, Verdict } from '../shield.types.js';
import { decideCall, decideSpending } from './decision.rules.js';
import type {
  ActionKind,
  Flip,
  FlipGroup,
  ProposedPolicy,
  RecordedDecision,
  Simulation,
  StandingFacts,
} from './policy-simulation.types.js';

const NO_DIGEST = `sha256:${'0'.repeat(64)}`;

/** Decides recorded calls again, by the rules of the shield and facts that are at hand. In the order of time. */
export class PolicyReplay {
  private readonly known = new Map<string, Verdict>();
  private readonly spent = new Map<string, Spending>();

  constructor(
    private readonly standing: StandingFacts,
    private readonly kindOf: (action: string) => ActionKind,
  ) {}

  /** As a call without a token: what an approval let through asks for another one. */
  decide(decision: RecordedDecision): Verdict {
    const call = this.callOf(decision);
    const facts = this.factsOf(decision);
    const verdict = this.judge(decision, call, facts);
    const { credits } = decision;
    if (verdict.outcome !== 'allow' || credits === 0) return verdict;
    const before = this.spentBefore(decision);
    const spending = decideSpending(call, { facts, verdict }, { credits, before });
    if (spending && spending.outcome !== 'allow') return spending;
    this.spend(decision);
    return verdict;
  }

  /** Equal calls are decided equally, as long as they spend nothing. */
  private judge(decision: RecordedDecision, call: DigestedCall, facts: ShieldFacts): Verdict {
    const { principal, authType, action, serverId, toolDigest } = decision;
    const key = JSON.stringify([principal, authType, action, serverId, toolDigest]);
    const known = this.known.get(key);
    if (known) return known;
    const verdict = decideCall(call, facts);
    this.known.set(key, verdict);
    return verdict;
  }

  private callOf({ principal, authType, action, serverId, toolDigest }: RecordedDecision): DigestedCall {
    return {
      ...{ caller: { tenantId: '', principal, authType }, action, arguments: undefined, argumentsDigest: NO_DIGEST },
      ...this.kindOf(action),
      ...(serverId === null ? {} : { serverId }),
      ...(toolDigest === null ? {} : { toolDigest }),
    };
  }

  /** As svc_shield_facts reads them. */
  private factsOf({ serverId, toolDigest }: RecordedDecision): ShieldFacts {
    const { policyVersion, policy, switches, servers, digests, publishers } = this.standing;
    const server = serverId !== null && Object.hasOwn(servers, serverId) ? servers[serverId]! : null;
    const digest = toolDigest !== null && Object.hasOwn(digests, toolDigest) ? digests[toolDigest]! : null;
    const ids = new Set([server?.publisherId, digest?.publisherId]);
    return {
      ...{ policyVersion, policy, switches, sampling: [], server, digest, approval: null, hasApproved: false },
      publishers: publishers.filter(({ publisherId }) => ids.has(publisherId)),
    };
  }

  private spentBefore({ principal, decidedAt }: RecordedDecision): number {
    const { spendWindow } = this.standing.policy;
    if (!spendWindow) return 0;
    return this.spendingOf(principal).before(decidedAt.getTime() - spendWindow.seconds * 1000);
  }

  private spend({ principal, decidedAt, credits }: RecordedDecision): void {
    if (this.standing.policy.spendWindow) this.spendingOf(principal).add(decidedAt.getTime(), credits);
  }

  private spendingOf(principal: string): Spending {
    const known = this.spent.get(principal);
    if (known) return known;
    const made = new Spending();
    this.spent.set(principal, made);
    return made;
  }
}

/** What a principal spent, in the order of time: what has left the window is never looked at again. */
class Spending {
  private readonly entries: { at: number; credits: number }[] = [];
  private first = 0;
  private sum = 0;

  /** What was spent after a time. Later calls name later times. */
  before(since: number): number {
    for (let entry = this.entries[this.first]; entry && entry.at <= since; entry = this.entries[this.first]) {
      this.sum -= entry.credits;
      this.first += 1;
    }
    return this.sum;
  }

  add(at: number, credits: number): void {
    this.entries.push({ at, credits });
    this.sum += credits;
  }
}

/** The facts as they would be under what is proposed. */
export const withProposed = (standing: StandingFacts, { policy, switches }: ProposedPolicy): StandingFacts => ({
  ...standing,
  policy: { ...standing.policy, ...(policy as PolicySettings) },
  switches: [...standing.switches, ...switches],
});

const none = (): Record<Outcome, number> => ({ allow: 0, approval_required: 0, deny: 0 });

/** Counts what a replay decides, and collects what would be another. */
export class FlipCollector {
  readonly recorded = none();
  readonly proposed = none();
  readonly flips: Flip[] = [];
  private readonly groups = new Map<string, FlipGroup>();

  /** @param present under the policy that holds @param proposed under the one that is proposed */
  add(decision: RecordedDecision, present: Verdict, proposed: Verdict): void {
    const { outcome: was, action } = decision;
    const { outcome, rule } = proposed;
    this.recorded[was] += 1;
    this.proposed[outcome] += 1;
    if (was === outcome) return;
    const cause = present.outcome === outcome ? 'state' : 'policy';
    this.flips.push({ decision, outcome, rule, reason: reasonOf(proposed), cause });
    const key = JSON.stringify([action, was, outcome, rule, cause]);
    const group = this.groups.get(key);
    if (group) group.count += 1;
    else this.groups.set(key, { action, was, outcome, rule, cause, count: 1 });
  }

  result(): Pick<Simulation, 'recorded' | 'proposed' | 'flips' | 'groups'> {
    const groups = [...this.groups.values()].sort((a, b) => b.count - a.count || (a.action < b.action ? -1 : 1));
    return { recorded: this.recorded, proposed: this.proposed, flips: this.flips, groups };
  }
}

function reasonOf(verdict: Verdict): string | null {
  if (verdict.outcome === 'allow') return null;
  return verdict.outcome === 'deny' ? verdict.denial.reason : verdict.reason;
}
