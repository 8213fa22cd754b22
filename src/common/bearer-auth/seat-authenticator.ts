import type { FastifyRequest } from 'fastify';
import type { AccessTokens } from '../access-tokens/access-tokens.js';
import { isDevMode } from '../config/daemon/auth-mode.js';
import type { Settings } from '../config/settings.js';
import type { TenantCaller } from '../contract/caller.js';
import { bearerOf, headerOf } from '../http/headers.js';
import type { DelegatedCallers } from '../keys/delegated-callers.js';
import { Unauthorized } from '../problem/common-problems.js';
import { PassportHeaderMismatch, TenantInactive } from '../problem/daemon-problems.js';
import type { Authenticator, HowToAuthenticate } from './authenticator.js';
import { PASSPORT_HEADER, SCOPES_HEADER, selectedTenantIn } from './caller-headers.js';
import type { Identity } from './daemon-caller.js';
import { identityOfTenantCaller } from './tenant-identity.js';

interface People {
  tokens: AccessTokens;
  delegated: DelegatedCallers;
}

/**
 * Takes the access token of a person who has a seat, where SVC_OIDC_ISSUER is set, and persons whom the tool service
 * let in by one; leaves every other request to the authenticators before. Bound to the tenant of the seat, with the
 * scopes of its role, as its session is (docs/decisions/0339).
 */
export class SeatAuthenticator implements Authenticator {
  constructor(
    private readonly others: Authenticator,
    private readonly people: People,
    private readonly settings: Settings,
  ) {}

  async identify(request: FastifyRequest): Promise<Identity> {
    const caller = this.people.tokens.resource && (await this.find(request));
    if (!caller) return this.others.identify(request);
    if (headerOf(request, PASSPORT_HEADER) !== undefined)
      throw new PassportHeaderMismatch({}, 'A seat acts by no passport; leave X-Svc-Passport-Id out');
    const { role } = caller;
    const identity = { ...identityOfTenantCaller(caller, 'seat'), selectedTenant: selectedTenantIn(request) };
    return role === 'discovery' ? identity : { ...identity, role };
  }

  describe(): HowToAuthenticate {
    return this.others.describe();
  }

  /** @throws TenantInactive, and what AccessTokens throws */
  private async find(request: FastifyRequest): Promise<TenantCaller | undefined> {
    try {
      const bearer = bearerOf(request);
      if (bearer === undefined) return await this.people.delegated.find(request);
      return this.isMeant(request, bearer) ? await this.people.tokens.find(bearer, selectedBy(request)) : undefined;
    } catch (error) {
      if (error instanceof Unauthorized) throw new TenantInactive({ hint: HINT }, error.message);
      throw error;
    }
  }

  /** In the modes of tokens whatever is not for the MCP endpoint is the mode's. */
  private isMeant({ headers }: FastifyRequest, bearer: string): boolean {
    const { authMode = 'off' } = this.settings.daemon;
    const { tokens } = this.people;
    if (!tokens.take(bearer)) return false;
    if (!isDevMode(authMode)) return tokens.claims(bearer);
    return !(authMode === 'dev_scopes' && headers[SCOPES_HEADER] !== undefined);
  }
}

const selectedBy = (request: FastifyRequest): string | undefined =>
  headerOf(request, 'x-tenant-id') ?? selectedTenantIn(request);

const HINT = 'Sign in again once the tenant is active';
