/** What a token of the daemon may do (memory-daemon.md 5.3). The ten capabilities of the workbench come with it. */
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
] as const;
export type Scope = (typeof SCOPES)[number];

/** A scope that is not bound to a tenant (memory-daemon.md 5.3). */
export const isCrossTenant = (scope: string): boolean => scope.startsWith('admin:');
