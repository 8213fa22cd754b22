import type { FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import type { TenantCaller } from '../contract/caller.js';
import type { ClientAddresses } from '../http/client-address.js';
import { bearerOf, credentialIn, headerOf } from '../http/headers.js';
import { AGENT_TOKEN_PREFIX } from '../keys/agent-token.js';
import { presentedKey } from '../keys/api-key.js';
import type { ToolCallers } from '../keys/tool-callers.js';
import { CredentialThrottled, Forbidden, Unauthorized } from '../problem/common-problems.js';
import {
  NotAuthenticated,
  PassportHeaderMismatch,
  RateLimited,
  TenantInactive,
  TenantMismatch,
} from '../problem/daemon-problems.js';
import type { FailedCredentials } from '../throttle/failed-credentials.js';
import type { Authenticator, HowToAuthenticate } from './authenticator.js';
import { PASSPORT_HEADER, SCOPES_HEADER, selectedTenantIn } from './caller-headers.js';
import type { Identity } from './daemon-caller.js';
import { identityOfTenantCaller } from './tenant-identity.js';

/** What finds the owner of a key, and counts keys that are nobody's. */
interface KeyChecks {
  callers: ToolCallers;
  failures: FailedCredentials;
  addresses: ClientAddresses;
}

/**
 * Takes the credentials of the tenant API, an API key with its tenant or the session token of an agent, and leaves
 * every other request to the mode's own authenticator: one client works at both servers with one credential. Bound to
 * its tenant, with the scopes of its role, as a session is (docs/decisions/0314).
 */
export class KeyAuthenticator implements Authenticator {
  constructor(
    private readonly mode: Authenticator,
    private readonly checks: KeyChecks,
    private readonly settings: Settings,
  ) {}

  async identify(request: FastifyRequest): Promise<Identity> {
    if (!this.isByKey(request)) return this.mode.identify(request);
    const caller = await this.find(request);
    if (!caller) throw new NotAuthenticated({ hint: HINT }, "The API key or session token is nobody's, or has ended");
    if (headerOf(request, PASSPORT_HEADER) !== undefined)
      throw new PassportHeaderMismatch({}, 'A key acts by no passport; leave X-Svc-Passport-Id out');
    return { ...identityOfTenantCaller(caller, caller.authType), selectedTenant: selectedTenantIn(request) };
  }

  describe(): HowToAuthenticate {
    return this.mode.describe();
  }

  /** A credential of the mode comes first: whoever sends both means the daemon's own. */
  private isByKey(request: FastifyRequest): boolean {
    const { tenantKeys, authMode } = this.settings.daemon;
    if (!tenantKeys || (authMode === 'dev_scopes' && request.headers[SCOPES_HEADER] !== undefined)) return false;
    if (request.headers.authorization !== undefined) return bearerOf(request)?.startsWith(AGENT_TOKEN_PREFIX) === true;
    return headerOf(request, 'x-api-key') !== undefined;
  }

  /** @throws TenantInactive, TenantMismatch, RateLimited */
  private async find(request: FastifyRequest): Promise<TenantCaller | undefined> {
    const { callers, failures, addresses } = this.checks;
    const { tenantId, apiKey, bearer } = credentialIn(request);
    const credential = { ...(tenantId && { tenantId }), ...(bearer ? { bearer } : apiKey && { apiKey }) };
    const find = () => callers.find(credential, { agents: true });
    try {
      if (bearer !== undefined || apiKey === undefined) return await find();
      return await failures.check(presentedKey(apiKey), () => addresses.of(request), find);
    } catch (error) {
      if (error instanceof Unauthorized) throw new TenantInactive({ hint: HINT }, error.message);
      if (error instanceof Forbidden) throw new TenantMismatch({ tenant_id: tenantId! }, error.message);
      if (error instanceof CredentialThrottled)
        throw new RateLimited({ retryAfterSec: Number(error.facts.retryAfterSec) }, error.message);
      throw error;
    }
  }
}

const HINT =
  'Send x-tenant-id and x-api-key of the same tenant, or Authorization: Bearer with the sessionToken of an agent';
