import { describe, expect, it } from 'vitest';
import type { DigestedCall, PolicySettings, ShieldFacts, StandingSwitch, Verdict } from '../shield.types.js';
import { decideCall, decideSpending, mayStopRead } from './decision.rules.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const call = (members: Partial<DigestedCall> = {}): DigestedCall => ({
  caller: { tenantId: 'acme', principal: 'key:1', authType: 'api_key' },
  action: 'POST /v1/ingest',
  isRead: false,
  arguments: {},
  argumentsDigest: 'sha256:args',
  ...members,
});
const policy = (members: Partial<PolicySettings> = {}): PolicySettings => ({
  requireServerId: false,
  requireToolDigest: false,
  requireRegistered: false,
  requireUiIntegrity: false,
  spendWindow: null,
  ...members,
});
const facts = (members: Partial<ShieldFacts> = {}): ShieldFacts => ({
  policyVersion: 3,
  policy: policy(),
  switches: [],
  sampling: [],
  server: null,
  digest: null,
  publishers: [],
  approval: null,
  hasApproved: false,
  ...members,
});
const standing = (members: Partial<StandingSwitch> = {}): StandingSwitch => ({
  killSwitchId: 'k',
  scope: 'action',
  target: 'POST /v1/ingest',
  mode: 'deny',
  includeReads: false,
  reason: 'why',
  ...members,
});
const approval = {
  approvalRequestId: 'r',
  state: 'approved' as const,
  principal: 'key:1',
  action: 'POST /v1/ingest',
  serverId: null,
  toolDigest: null,
  argumentsDigest: 'sha256:args',
  policyVersion: 3,
  spendCredits: null,
  endReason: null,
};
const server = (members = {}) => ({
  status: 'active' as const,
  reason: 's',
  publisherId: 'p',
  toolDigests: [],
  ...members,
});
const inWords = (verdict: Verdict | undefined) =>
  verdict &&
  `${verdict.outcome} ${verdict.rule}${verdict.outcome === 'deny' && verdict.denial.cause ? ` ${verdict.denial.cause}` : ''}`;

const MARK = standing({ mode: 'require_approval' });
const TOOL = { action: 'query_vault', route: 'POST /v1/retrieve', isRead: true };
const TOKEN = { approvalToken: 'token' };
const OF_SERVER = { serverId: 's', toolDigest: DIGEST };
const revoked = { publisherId: 'p', status: 'revoked' as const, reason: 'x' };

describe('the decision', () => {
  it.each<[string, string, Partial<DigestedCall>, Partial<ShieldFacts>]>([
    ['a mutation', 'allow default', {}, {}],
    ['a read', 'allow default', { isRead: true, action: 'GET /v1/documents' }, {}],
    [
      'what undoes a switch',
      'allow always_open',
      { action: 'DELETE /v1/shield/kill-switches/:killSwitchId' },
      { switches: [standing({ scope: 'tenant', target: null })] },
    ],
    [
      'signing in',
      'allow always_open',
      { action: 'POST /frontdoor/auth/connect' },
      { switches: [standing({ scope: 'tenant', target: null })] },
    ],
    ['another action', 'allow default', { action: 'POST /v1/ingest/batch' }, { switches: [standing()] }],
    ['a tool by its name', 'deny kill_switch', TOOL, { switches: [standing({ target: 'query_vault' })] }],
    ['a tool by its route', 'deny kill_switch', TOOL, { switches: [standing({ target: 'POST /v1/retrieve' })] }],
    ['a tool by a star', 'deny kill_switch', TOOL, { switches: [standing({ target: 'POST /v1/*' })] }],
    ['another tool', 'allow default', TOOL, { switches: [standing({ target: 'tip_platform' }), standing()] }],
    [
      'the route of a tool',
      'allow default',
      { action: 'POST /v1/retrieve' },
      { switches: [standing({ target: 'query_vault' })] },
    ],
    [
      'an action by a star',
      'deny kill_switch',
      { action: 'POST /v1/ingest/batch' },
      { switches: [standing({ target: 'POST /v1/ingest*' })] },
    ],
    ['the whole tenant', 'deny kill_switch', {}, { switches: [standing({ scope: 'tenant', target: null })] }],
    [
      'the whole tenant, a read',
      'allow default',
      { isRead: true },
      { switches: [standing({ scope: 'tenant', target: null })] },
    ],
    [
      'the whole tenant, reads included',
      'deny kill_switch',
      { isRead: true },
      { switches: [standing({ scope: 'tenant', target: null, includeReads: true })] },
    ],
    [
      'a read that is named',
      'deny kill_switch',
      { isRead: true, action: 'POST /v1/retrieve' },
      { switches: [standing({ target: 'POST /v1/retrieve' })] },
    ],
    [
      'a tool that is named',
      'deny kill_switch',
      { isRead: true, action: 'query_vault' },
      { switches: [standing({ target: 'query_vault' })] },
    ],
    ['a principal', 'deny kill_switch', {}, { switches: [standing({ scope: 'principal', target: 'key:1' })] }],
    ['another principal', 'allow default', {}, { switches: [standing({ scope: 'principal', target: 'key:2' })] }],
    ['a server', 'deny kill_switch', OF_SERVER, { switches: [standing({ scope: 'server', target: 's' })] }],
    ['no server', 'allow default', {}, { switches: [standing({ scope: 'server', target: 's' })] }],
    [
      'a publisher',
      'deny kill_switch',
      OF_SERVER,
      { switches: [standing({ scope: 'publisher', target: 'p' })], publishers: [{ ...revoked, status: 'trusted' }] },
    ],
    [
      'a switch before trust',
      'deny kill_switch',
      OF_SERVER,
      { switches: [standing()], server: server({ status: 'blocked' }) },
    ],
    ['a denying switch before a mark', 'deny kill_switch', {}, { switches: [MARK, standing({ killSwitchId: 'l' })] }],
    ['an unknown server', 'allow default', OF_SERVER, {}],
    ['a blocked server', 'deny blocked_server', OF_SERVER, { server: server({ status: 'blocked' }) }],
    [
      'a quarantined server',
      'approval_required quarantined_server',
      OF_SERVER,
      { server: server({ status: 'quarantined' }) },
    ],
    ['a revoked publisher', 'deny revoked_publisher', OF_SERVER, { server: server(), publishers: [revoked] }],
    [
      'a revoked definition',
      'deny revoked_digest',
      { toolDigest: DIGEST },
      { digest: { status: 'revoked', reason: 'x', publisherId: null } },
    ],
    ['a pinned definition', 'allow default', OF_SERVER, { server: server({ toolDigests: [DIGEST] }) }],
    ['a changed definition', 'deny untrusted_digest', OF_SERVER, { server: server({ toolDigests: [`${DIGEST}x`] }) }],
    ['no definition', 'deny untrusted_digest', { serverId: 's' }, { server: server({ toolDigests: [DIGEST] }) }],
    ['a mark', 'approval_required marked', {}, { switches: [MARK] }],
    ['a mark with an approval', 'allow approved', TOKEN, { switches: [MARK], approval }],
    ['a mark with a made-up token', 'deny approval_void unknown', TOKEN, { switches: [MARK] }],
    ['no mark with a made-up token', 'allow default', TOKEN, {}],
    ['no mark with a used approval', 'allow default', TOKEN, { approval: { ...approval, state: 'used' } }],
    ['an approval under a denying switch', 'deny kill_switch', TOKEN, { switches: [standing(), MARK], approval }],
    [
      'an approval for a revoked definition',
      'deny revoked_digest',
      { ...TOKEN, toolDigest: DIGEST },
      { switches: [MARK], approval, digest: { status: 'revoked', reason: 'x', publisherId: null } },
    ],
    [
      'another principal',
      'deny approval_void another_principal',
      TOKEN,
      { switches: [MARK], approval: { ...approval, principal: 'key:2', state: 'used' } },
    ],
    [
      'a used approval',
      'deny approval_void used',
      TOKEN,
      { switches: [MARK], approval: { ...approval, state: 'used' } },
    ],
    [
      'an expired approval',
      'deny approval_void expired',
      TOKEN,
      { switches: [MARK], approval: { ...approval, state: 'expired' } },
    ],
    [
      'an approval that became void',
      'deny approval_void ended',
      TOKEN,
      { switches: [MARK], approval: { ...approval, state: 'void' } },
    ],
    [
      'another action',
      'deny approval_void another_action',
      TOKEN,
      { switches: [MARK], approval: { ...approval, action: 'POST /v1/citations' } },
    ],
    [
      'other arguments',
      'deny approval_void arguments_changed',
      { ...TOKEN, argumentsDigest: 'sha256:argz' },
      { switches: [MARK], approval },
    ],
    [
      'a tool definition that was not approved',
      'deny approval_void tool_changed',
      { ...TOKEN, toolDigest: DIGEST },
      { switches: [MARK], approval },
    ],
    [
      'a tool definition that is missing',
      'deny approval_void tool_changed',
      TOKEN,
      { switches: [MARK], approval: { ...approval, toolDigest: DIGEST } },
    ],
    ['another server', 'deny approval_void tool_changed', { ...TOKEN, serverId: 's' }, { switches: [MARK], approval }],
    [
      'a changed policy',
      'deny approval_void policy_changed',
      TOKEN,
      { switches: [MARK], approval: { ...approval, policyVersion: 2 } },
    ],
  ])('%s: %s', (_, expected, callMembers, factMembers) => {
    expect(inWords(decideCall(call(callMembers), facts(factMembers)))).toBe(expected);
  });
});

describe('the policy of a tenant', () => {
  const ALL = policy({ requireServerId: true, requireToolDigest: true, requireRegistered: true });
  const registered = { server: server(), digest: { status: 'trusted', reason: 'x', publisherId: null } } as const;
  it.each<[string, string, Partial<DigestedCall>, Partial<ShieldFacts>]>([
    ['no server', 'deny missing_server_id', { toolDigest: DIGEST }, { policy: policy({ requireServerId: true }) }],
    ['a server', 'allow default', { serverId: 's' }, { policy: policy({ requireServerId: true }) }],
    ['no definition', 'deny missing_tool_digest', { serverId: 's' }, { policy: policy({ requireToolDigest: true }) }],
    ['a definition', 'allow default', { toolDigest: DIGEST }, { policy: policy({ requireToolDigest: true }) }],
    ['an invented server', 'deny unregistered_server', OF_SERVER, { policy: ALL, digest: registered.digest }],
    ['an invented definition', 'deny unregistered_digest', OF_SERVER, { policy: ALL, server: server() }],
    ['both registered', 'allow default', OF_SERVER, { policy: ALL, ...registered }],
    ['a definition by its pin', 'allow default', OF_SERVER, { policy: ALL, server: server({ toolDigests: [DIGEST] }) }],
    ['neither, named by nobody', 'allow default', {}, { policy: policy({ requireRegistered: true }) }],
    ['a read', 'allow default', { isRead: true }, { policy: ALL }],
    ['a tool of this server', 'allow default', { ...TOOL, ...OF_SERVER, isRead: false }, { policy: ALL }],
    [
      'a drill',
      'allow default',
      { caller: { tenantId: 'acme', principal: 'drill:1', authType: 'drill' } },
      { policy: ALL },
    ],
    ['its own change', 'allow always_open', { action: 'PUT /v1/shield/policy' }, { policy: ALL }],
    ['a call with an approval', 'deny missing_server_id', TOKEN, { policy: ALL, switches: [MARK], approval }],
    ['a switch first', 'deny kill_switch', {}, { policy: ALL, switches: [standing()] }],
  ])('%s: %s', (_, expected, callMembers, factMembers) => {
    expect(inWords(decideCall(call(callMembers), facts(factMembers)))).toBe(expected);
  });
});

describe('spending', () => {
  const spend = (credits: number, verdict: Verdict, callMembers = {}, approvalFact: ShieldFacts['approval'] = null) =>
    inWords(decideSpending(call(callMembers), { facts: facts({ approval: approvalFact }), verdict }, { credits }));
  const allowed: Verdict = { outcome: 'allow', rule: 'default' };

  it('asks for an approval above the threshold, once', () => {
    expect(spend(100, allowed)).toBeUndefined();
    expect(spend(101, allowed)).toBe('approval_required spending');
    const admitted: Verdict = { outcome: 'allow', rule: 'approved' };
    expect(spend(101, admitted, TOKEN, { ...approval, spendCredits: 101 })).toBeUndefined();
    expect(spend(102, admitted, TOKEN, { ...approval, spendCredits: 101 })).toBe('approval_required spending');
    expect(spend(101, admitted, TOKEN, approval)).toBe('approval_required spending');
    expect(spend(101, allowed, TOKEN, { ...approval, state: 'used' })).toBe('deny approval_void used');
    expect(spend(101, allowed, TOKEN)).toBe('deny approval_void unknown');
  });

  it('asks for one where the window has less left, whatever the one call costs', () => {
    const windowed = (
      credits: number,
      before: number,
      verdict = allowed,
      approvalFact: ShieldFacts['approval'] = null,
    ) => {
      const known = facts({ policy: policy({ spendWindow: { credits: 300, seconds: 60 } }), approval: approvalFact });
      return inWords(decideSpending(call(approvalFact ? TOKEN : {}), { facts: known, verdict }, { credits, before }));
    };
    expect(windowed(100, 200)).toBeUndefined();
    expect(windowed(100, 201)).toBe('approval_required spend_window');
    expect(windowed(0, 900)).toBeUndefined();
    expect(windowed(101, 0)).toBe('approval_required spending');
    const admitted: Verdict = { outcome: 'allow', rule: 'approved' };
    expect(windowed(60, 300, admitted, { ...approval, spendCredits: 60 })).toBeUndefined();
    expect(windowed(61, 300, admitted, { ...approval, spendCredits: 60 })).toBe('approval_required spend_window');
    expect(windowed(60, 300, admitted, approval)).toBe('approval_required spend_window');
  });
});

describe('a read that may be stopped', () => {
  const asked = { action: 'POST /v1/retrieve', isRead: true, principal: 'key:1' };
  it.each([
    [true, { scope: 'action', target: 'POST /v1/retrieve', includeReads: false }, {}],
    [false, { scope: 'action', target: 'POST /v1/ingest', includeReads: true }, {}],
    [true, { scope: 'tenant', target: null, includeReads: true }, {}],
    [false, { scope: 'tenant', target: null, includeReads: false }, {}],
    [true, { scope: 'publisher', target: 'p', includeReads: true }, { serverId: 's' }],
    [false, { scope: 'publisher', target: 'p', includeReads: true }, {}],
  ] as const)('%s for %j', (expected, one, members) => {
    expect(mayStopRead(one, { ...asked, ...members })).toBe(expected);
  });
});
