import type { SeatRole } from './contract.js';
import type { Scope } from './scopes.js';

const READING: readonly Scope[] = ['facts:read', 'query:read', 'receipts:read', 'sessions:read'];

/**
 * "All below" an administrator (D73): what works in one tenant. Left out are what lets a caller act as somebody else
 * (passport:impersonate) and what is of another machine (replication:write); the services of the workbench are opened
 * by admin:read.
 */
const ADMINISTRATION: readonly Scope[] = [
  ...READING,
  'admin:read',
  'admin:write',
  'compute:embed',
  'events:read',
  'events:write',
  'exports:read',
  'facts:write',
  'integrations:disable',
  'integrations:grant',
  'integrations:install',
  'integrations:read',
  'passport:read',
  'provenance:write',
  'replay:answer',
  'sessions:write',
  'tenant:chunks:read',
  'tenant:content:preview',
  'tenant:metadata:read',
  'tool:invoke:read',
];

/**
 * What a session may do at the daemon, by the role of its seat (D73); that of a key counts as owner. None of the scopes
 * reaches beyond the session's tenant: the scope guard takes admin scopes of a session for no more than that.
 */
export const SESSION_SCOPES: Readonly<Record<SeatRole, ReadonlySet<Scope>>> = {
  owner: new Set(ADMINISTRATION),
  admin: new Set(ADMINISTRATION),
  member: new Set([...READING, 'facts:write']),
  viewer: new Set(READING),
};
