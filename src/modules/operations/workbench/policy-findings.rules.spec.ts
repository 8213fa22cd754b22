import { expect, it } from 'vitest';
import type { Flip } from '../../shield/core/decisions/policy-simulation.types.js';
import { findingsOfSimulation } from './policy-findings.rules.js';

const flip = (cause: 'policy' | 'state', outcome: 'deny' | 'allow' = 'deny'): Flip => ({
  ...{ outcome, rule: 'kill_switch', reason: 'why', cause },
  decision: {
    ...{ decisionId: 'd', decidedAt: new Date(0), principal: 'agent:a', authType: 'agent', action: 'POST /v1/ingest' },
    ...{ serverId: null, toolDigest: null, outcome: 'allow', rule: 'default', credits: 0 },
  },
});

it('a simulation fails for what would be refused, and says what has changed by itself', () => {
  const flips = [flip('policy'), flip('policy'), flip('state')];
  const group = { action: 'POST /v1/ingest', was: 'allow', outcome: 'deny', rule: 'kill_switch' } as const;
  const groups = [
    { ...group, cause: 'policy' as const, count: 2 },
    { ...group, cause: 'state' as const, count: 1 },
  ];
  const found = findingsOfSimulation({ flips, groups, unknownActions: ['POST /v1/gone'], replayed: 3 });
  expect(found.map(({ id, severity, evidence }) => [id, severity, evidence.length])).toEqual([
    ['policy.allow_to_deny', 'fail', 2],
    ['policy.state_changed', 'info', 0],
    ['policy.unknown_action', 'info', 0],
  ]);
});

it('a simulation of nothing warns', () => {
  const found = findingsOfSimulation({ flips: [], groups: [], unknownActions: [], replayed: 0 });
  expect(found.map(({ id }) => id)).toEqual(['policy.nothing_replayed']);
});
