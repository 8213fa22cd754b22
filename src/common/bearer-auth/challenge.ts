import type { Problem } from '../problem/problem.js';
import { Unauthorized } from '../problem/common-problems.js';
import { InvalidToken, MissingScope, NotAuthenticated } from '../problem/daemon-problems.js';

const REALM = 'Bearer realm="svc"';

/** Where a client finds out how to get an access token, and what to ask for. */
export interface HowToSignIn {
  /** The address of the metadata (RFC 9728, 5.1). */
  metadataUrl: string;
  scopes: readonly string[];
}

/**
 * The WWW-Authenticate of a refusal (RFC 6750, 3), where it is one for which a better credential would help.
 * @param signIn of an endpoint at which people sign in
 */
export function challengeOf(refusal: Problem, signIn?: HowToSignIn): string | undefined {
  const found = challengeTo(refusal, signIn);
  return found && signIn ? `${found}, resource_metadata="${signIn.metadataUrl}"` : found;
}

function challengeTo(refusal: Problem, signIn: HowToSignIn | undefined): string | undefined {
  if (refusal instanceof InvalidToken)
    return `${REALM}, error="invalid_token", error_description="${quotable(refusal.message)}"`;
  if (refusal instanceof NotAuthenticated || refusal instanceof Unauthorized)
    return REALM + scopeParameter(signIn?.scopes ?? []);
  if (!(refusal instanceof MissingScope)) return undefined;
  const { missingAnyScope, missingScopes } = refusal.facts as Record<string, readonly string[] | undefined>;
  return `${REALM}, error="insufficient_scope"${scopeParameter(missingAnyScope ?? missingScopes ?? [])}`;
}

const scopeParameter = (scopes: readonly string[]): string =>
  scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`;

/** What may stand in error_description (RFC 6750, 3). */
const quotable = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
