import { hasScope, type Identity } from '../bearer-auth/daemon-caller.js';
import type { Access } from '../contract/contract.js';
import { MissingScope } from '../problem/daemon-problems.js';

/** What a route has against the scopes of a caller, as memory-daemon.md 5.3 words it. */
export function scopeObjection(access: Access, identity: Pick<Identity, 'scopes'>): MissingScope | undefined {
  if (access.kind !== 'scopes') return undefined;
  const { rule, scopes } = access;
  const missing = scopes.filter((scope) => !hasScope(identity, scope));
  if (rule === 'any' && missing.length === scopes.length)
    return new MissingScope({ missingAnyScope: scopes }, `This takes one of: ${scopes.join(', ')}`);
  if (rule === 'all' && missing.length > 0)
    return new MissingScope({ missingScopes: missing }, `This takes all of: ${scopes.join(', ')}`);
  return undefined;
}
