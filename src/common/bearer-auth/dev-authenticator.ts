import type { FastifyRequest } from 'fastify';
import { headerOf } from '../http/headers.js';
import { NotAuthenticated } from '../problem/daemon-problems.js';
import type { Authenticator, HowToAuthenticate } from './authenticator.js';
import type { Identity } from './daemon-caller.js';
import { PASSPORT_HEADER, SCOPES_HEADER, selectedTenantIn } from './caller-headers.js';

/** Mode off: every check of a scope passes, those of its tenant too, and the passport is accepted as sent. */
export class OffAuthenticator implements Authenticator {
  async identify(request: FastifyRequest): Promise<Identity> {
    return { authType: 'off', scopes: 'all', tenants: 'any', ...claimedBy(request) };
  }

  describe(): HowToAuthenticate {
    return { hint: 'Send nothing; X-Svc-Passport-Id and X-Svc-Tenant-Id are accepted as sent', algorithms: [] };
  }
}

/**
 * Mode dev_scopes: the scopes are those the caller writes, X-Svc-Scopes before a bearer. Without a token
 * X-Svc-Tenant-Id stands in for its tenant claim; without that the credential is bound to none.
 */
export class DevScopesAuthenticator implements Authenticator {
  async identify(request: FastifyRequest): Promise<Identity> {
    const scopes = new Set(listed(headerOf(request, SCOPES_HEADER)));
    if (scopes.size === 0)
      for (const scope of listed(BEARER.exec(request.headers.authorization ?? '')?.[1])) scopes.add(scope);
    if (scopes.size === 0)
      throw new NotAuthenticated({ hint: HINT }, 'No scopes were sent (SVCD_AUTH_MODE=dev_scopes)');
    const claimed = claimedBy(request);
    const { selectedTenant } = claimed;
    const tenants = selectedTenant === undefined ? 'any' : [selectedTenant];
    return { authType: 'dev_scopes', scopes, tenants, ...claimed };
  }

  describe(): HowToAuthenticate {
    return { hint: HINT, algorithms: [] };
  }
}

const HINT =
  'Send X-Svc-Scopes: query:read,facts:write or Authorization: Bearer <scope list>, separated by commas or blanks';
const BEARER = /^Bearer\s(.*)$/i;

const listed = (list = ''): string[] => list.split(/[\s,]+/).filter((scope) => scope !== '');

function claimedBy(request: FastifyRequest): Pick<Identity, 'passport' | 'principal' | 'selectedTenant'> {
  const passport = headerOf(request, PASSPORT_HEADER);
  return {
    passport,
    principal: passport === undefined ? 'anonymous' : `passport:${passport}`,
    selectedTenant: selectedTenantIn(request),
  };
}
