/**
 * The services of the workbench (memory-daemon.md 4.11): each is a scope, and one that SVCD_ENABLED_PRO_SERVICES has to
 * list.
 */
export const PRO_SERVICES = [
  'agent_brief:pro',
  'context_pack:budgeted',
  'impact:preflight',
  'ledger:history',
  'audit:triage',
  'reasoning:timeline',
  'handoff:v2',
  'route_probe:lab',
  'api_drift:check',
  'policy:simulate',
] as const;
export type ProService = (typeof PRO_SERVICES)[number];

/** What a token of the daemon may do (memory-daemon.md 5.3). */
export const SCOPES = [
  'admin:read',
  'admin:write',
  'compute:embed',
  'events:read',
  'events:write',
  'exports:read',
  'facts:read',
  'facts:write',
  'integrations:disable',
  'integrations:grant',
  'integrations:install',
  'integrations:read',
  'passport:impersonate',
  'passport:read',
  'provenance:write',
  'query:read',
  'receipts:read',
  'replay:answer',
  'replication:write',
  'sessions:read',
  'sessions:write',
  'tenant:chunks:read',
  'tenant:content:preview',
  'tenant:metadata:read',
  'tool:invoke:read',
  ...PRO_SERVICES,
] as const;
export type Scope = (typeof SCOPES)[number];

/** A scope that is not bound to a tenant (memory-daemon.md 5.3). */
export const isCrossTenant = (scope: string): boolean => scope.startsWith('admin:');
