import type { FlipGroup, Simulation } from '../../shield/core/decisions/policy-simulation.types.js';
import { counted } from './judgement.rules.js';
import type { Finding, Severity } from './workbench.types.js';

/** Groups that become findings. */
const MAX_FINDINGS = 50;
/** The flips that a group's evidence names. */
const MAX_NAMED = 5;

/** What would be refused that was let through fails; what is let through in addition is worth a look. */
const SEVERITY: Record<FlipGroup['outcome'], Severity> = { deny: 'fail', approval_required: 'warn', allow: 'warn' };

/** One finding for alike flips that what is proposed makes. */
export function findingsOfSimulation(
  found: Pick<Simulation, 'groups' | 'flips' | 'unknownActions' | 'replayed'>,
): Finding[] {
  const groups = found.groups.filter(({ cause }) => cause === 'policy').slice(0, MAX_FINDINGS);
  const others = found.flips.filter(({ cause }) => cause === 'state').length;
  const more: (Finding | false)[] = [
    others > 0 && {
      ...{ id: 'policy.state_changed', severity: 'info', subject: counted(others, 'decision'), evidence: [] },
      fix: 'Switches, trust or approvals have changed since; the policy that holds would decide so too',
    },
    found.unknownActions.length > 0 && {
      ...{
        id: 'policy.unknown_action',
        severity: 'info',
        subject: found.unknownActions.slice(0, MAX_NAMED).join(', '),
      },
      ...{ evidence: [], fix: 'Nothing serves them any more: they were taken for calls that change something' },
    },
    found.replayed === 0 && {
      ...{ id: 'policy.nothing_replayed', severity: 'warn', subject: 'decisions', evidence: [] },
      fix: 'The shield has recorded no decision of this tenant: call the tenant API or the tool service first',
    },
  ];
  return [...groups.map((group) => findingOf(group, found)), ...more.filter((one) => one !== false)];
}

function findingOf(group: FlipGroup, { flips }: Pick<Simulation, 'flips'>): Finding {
  const { action, was, outcome, rule, count } = group;
  const alike = flips.filter(
    (flip) =>
      flip.cause === 'policy' &&
      flip.rule === rule &&
      flip.decision.action === action &&
      flip.outcome === outcome &&
      flip.decision.outcome === was,
  );
  return {
    id: `policy.${was}_to_${outcome}`,
    severity: SEVERITY[outcome],
    subject: action,
    evidence: alike.slice(-MAX_NAMED).map(({ decision, reason }) => ({
      ...{ kind: 'decision', ref: decision.decisionId },
      detail: `${decision.principal}, ${decision.decidedAt.toISOString()}${reason === null ? '' : `: ${reason}`}`,
    })),
    fix: `${counted(count, 'call')} by the rule ${rule}: change the callers first, or the proposal`,
  };
}
