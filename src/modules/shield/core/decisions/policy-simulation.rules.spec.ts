import { describe, expect, it } from 'vitest';
import { FlipCollector, PolicyReplay, withProposed } from './policy-simulation.rules.js';
import type { ProposedPolicy, RecordedDecision, StandingFacts } from './policy-simulation.types.js';

const STANDING: StandingFacts = {
  policyVersion: 3,
  policy: {
    ...{ requireServerId: false, requireToolDigest: false, requireRegistered: false, requireUiIntegrity: false },
    spendWindow: null,
  },
  switches: [],
  servers: { known: { status: 'active', reason: '', publisherId: 'p', toolDigests: [] } },
  digests: {},
  publishers: [],
};

let number = 0;
const decision = (more: Partial<RecordedDecision> = {}): RecordedDecision => ({
  ...{ decisionId: `d${(number += 1)}`, decidedAt: new Date(number * 1000), principal: 'agent:a', authType: 'agent' },
  ...{ action: 'POST /v1/ingest', serverId: null, toolDigest: null, outcome: 'allow', rule: 'default', credits: 0 },
  ...more,
});
const kindOf = (action: string) => ({ isRead: action.startsWith('GET ') });

function flips(decisions: RecordedDecision[], proposed: Partial<ProposedPolicy>): string[] {
  const present = new PolicyReplay(STANDING, kindOf);
  const future = new PolicyReplay(withProposed(STANDING, { policy: {}, switches: [], ...proposed }), kindOf);
  const collector = new FlipCollector();
  for (const one of decisions) collector.add(one, present.decide(one), future.decide(one));
  return collector.result().flips.map(({ outcome, rule, cause }) => `${outcome} ${rule} ${cause}`);
}

describe('a replay', () => {
  it('flips nothing where nothing is proposed and nothing has changed', () => {
    expect(flips([decision(), decision({ action: 'GET /v1/credits' })], {})).toEqual([]);
  });

  it('denies mutations that name no server where the policy will want one, and no reads', () => {
    const calls = [decision(), decision({ action: 'GET /v1/credits' }), decision({ serverId: 'known' })];
    expect(flips(calls, { policy: { requireServerId: true } })).toEqual(['deny missing_server_id policy']);
  });

  it('denies what is named and not registered', () => {
    const calls = [decision({ serverId: 'invented' }), decision({ serverId: 'known' })];
    expect(flips(calls, { policy: { requireRegistered: true } })).toEqual(['deny unregistered_server policy']);
  });

  it('applies a proposed switch', () => {
    const killSwitch = {
      ...{ killSwitchId: 'proposed', scope: 'action' as const, target: 'POST /v1/ingest*', mode: 'deny' as const },
      ...{ includeReads: false, reason: 'proposed' },
    };
    const calls = [decision(), decision({ action: 'POST /v1/bundles' })];
    expect(flips(calls, { switches: [killSwitch] })).toEqual(['deny kill_switch policy']);
  });

  it('adds up what is spent within a window, by principal, and counts nothing that needs an approval', () => {
    const spends = (at: number, credits: number, principal = 'agent:a') =>
      decision({ decidedAt: new Date(at * 1000), credits, principal });
    const calls = [
      spends(1, 40),
      spends(2, 40),
      spends(3, 40),
      spends(4, 20),
      spends(5, 90, 'agent:b'),
      spends(70, 40),
    ];
    expect(flips(calls, { policy: { spendWindow: { credits: 100, seconds: 60 } } })).toEqual([
      'approval_required spend_window policy',
    ]);
  });

  it('distinguishes what has changed since from what the policy would change', () => {
    const lifted = decision({ outcome: 'deny', rule: 'kill_switch' });
    const approved = decision({ rule: 'approved', credits: 500 });
    expect(flips([lifted, approved], {})).toEqual(['allow default state', 'approval_required spending state']);
  });
});
