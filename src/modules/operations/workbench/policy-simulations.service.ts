import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { PolicySimulationService } from '../../shield/core/decisions/policy-simulation.service.js';
import type { Flip, ProposedPolicy } from '../../shield/core/decisions/policy-simulation.types.js';
import { counted, judge } from './judgement.rules.js';
import type { PolicyFlip, PolicySimulation, PolicySimulationRequest, SwitchProposal } from './policy-simulation.dto.js';
import { findingsOfSimulation } from './policy-findings.rules.js';

const MAX_GROUPS = 200;

/** What a proposed policy of the shield would have decided. */
@Injectable()
export class PolicySimulationsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly simulations: PolicySimulationService,
  ) {}

  /** @throws ValidationFailed where nothing is proposed, or a switch has no target */
  async simulate(caller: DaemonCaller, request: PolicySimulationRequest): Promise<PolicySimulation> {
    const proposed = proposedBy(request);
    const tenantId = await this.tenants.enter(caller);
    const found = await this.simulations.simulate(tenantId, proposed, request.last);
    const { replayed, recorded, flips, from, to, policyVersion } = found;
    const groups = found.groups.map(({ outcome, ...group }) => ({ ...group, would_be: outcome }));
    return {
      schema: 'svc.workbench.policy-simulation/1',
      policy_version: policyVersion,
      ...{ replayed, recorded, proposed: found.proposed, flips_total: flips.length },
      from: from?.toISOString() ?? null,
      to: to?.toISOString() ?? null,
      groups: groups.slice(0, MAX_GROUPS),
      flips: flips
        .slice(-request.limit || flips.length)
        .toReversed()
        .map(flipOf),
      unknown_actions: found.unknownActions,
      ...judge(findingsOfSimulation(found), `${counted(flips.length, 'flip')} in ${counted(replayed, 'decision')}`),
    };
  }
}

/** @throws ValidationFailed */
function proposedBy({ policy, kill_switches: switches = [] }: PolicySimulationRequest): ProposedPolicy {
  const { require_server_id, require_tool_digest, require_registered, spend_window } = policy ?? {};
  const given = {
    requireServerId: require_server_id,
    requireToolDigest: require_tool_digest,
    requireRegistered: require_registered,
    spendWindow: spend_window,
  };
  const members = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.keys(members).length === 0 && switches.length === 0)
    throw invalid('body', 'proposes nothing: name a member of policy, or a switch of kill_switches');
  return { policy: members, switches: switches.map(switchOf) };
}

/** @throws ValidationFailed */
function switchOf({ scope, target, mode, include_reads }: SwitchProposal, place: number) {
  if (scope !== 'tenant' && target === undefined)
    throw invalid(`body.kill_switches[${place}].target`, `is needed for scope ${scope}`);
  if (scope === 'tenant' && target !== undefined)
    throw invalid(`body.kill_switches[${place}].target`, 'is left out for scope tenant');
  return {
    ...{ killSwitchId: `proposed-${place + 1}`, scope, target: target ?? null, mode, includeReads: include_reads },
    reason: 'proposed',
  };
}

const flipOf = ({ decision, outcome, rule, reason, cause }: Flip): PolicyFlip => ({
  ...{ decision_id: decision.decisionId, decided_at: decision.decidedAt.toISOString(), principal: decision.principal },
  ...{ action: decision.action, server_id: decision.serverId, tool_digest: decision.toolDigest },
  ...{ was: decision.outcome, was_rule: decision.rule, would_be: outcome, rule, reason, cause },
});
