import { useIdentityState, type Identity } from './identity.ts';

/** What screens and buttons need: the roles of a session, and of other credentials one of these scopes. */
const RIGHTS = {
  write: { roles: ['owner', 'admin', 'member'], scopes: ['facts:write', 'admin:write'] },
  oversee: { roles: ['owner', 'admin'], scopes: ['admin:read'] },
  administer: { roles: ['owner', 'admin'], scopes: ['admin:write'] },
  export: { roles: ['owner', 'admin'], scopes: ['exports:read'] },
  /** At the tenant API alone, which knows no scopes. */
  own: { roles: ['owner'], scopes: [] },
} as const satisfies Record<string, { roles: readonly string[]; scopes: readonly string[] }>;

export type Right = keyof typeof RIGHTS;

/** Why somebody has not the right; undefined of who has it. The server decides: this spares asking for a refusal. */
function whyNot(identity: Identity, right: Right | undefined): string | undefined {
  if (right === undefined || identity.kind === 'off') return undefined;
  const { roles, scopes }: { roles: readonly string[]; scopes: readonly string[] } = RIGHTS[right];
  if (identity.kind === 'session') {
    const needed = roles
      .toReversed()
      .join(', ')
      .replace(/, (?=\w+$)/, ' or ');
    if (roles.includes(identity.role)) return undefined;
    return `Your role is ${identity.role}; this needs ${needed}. An owner can change it under Seats.`;
  }
  const own = identity.scopes.split(' ');
  return scopes.length === 0 || scopes.some((scope) => own.includes(scope))
    ? undefined
    : `This sign-in has not the scope ${scopes.join(' or ')}. Sign in with a token or a session that has it.`;
}

/** The same of who is signed in; of nobody nothing is asked for. */
export function useWhyNot(right: Right | undefined): string | undefined {
  const state = useIdentityState();
  return 'identity' in state ? whyNot(state.identity, right) : undefined;
}
