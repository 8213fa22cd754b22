import type { Problem } from '../problem/problem.js';
import { InvalidToken, MissingScope, NotAuthenticated } from '../problem/daemon-problems.js';

const REALM = 'Bearer realm="svc"';

/** The WWW-Authenticate of a refusal (RFC 6750, 3), where it is one for which a better credential would help. */
export function challengeOf(refusal: Problem): string | undefined {
  if (refusal instanceof InvalidToken)
    return `${REALM}, error="invalid_token", error_description="${quotable(refusal.message)}"`;
  if (refusal instanceof NotAuthenticated) return REALM;
  if (!(refusal instanceof MissingScope)) return undefined;
  const { missingAnyScope, missingScopes } = refusal.facts as Record<string, readonly string[] | undefined>;
  const scopes = missingAnyScope ?? missingScopes ?? [];
  return `${REALM}, error="insufficient_scope"${scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`}`;
}

/** What may stand in error_description (RFC 6750, 3). */
const quotable = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
