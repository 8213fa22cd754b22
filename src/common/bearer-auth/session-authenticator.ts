import type { FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import type { TenantCaller } from '../contract/caller.js';
import { headerOf } from '../http/headers.js';
import { Unauthorized } from '../problem/common-problems.js';
import { InvalidToken, NotAuthenticated, PassportHeaderMismatch, TenantInactive } from '../problem/daemon-problems.js';
import { checkSameOrigin } from '../sessions/same-origin.js';
import type { SessionCheck } from '../sessions/session-check.js';
import { isSessionCookieIn } from '../sessions/session-cookie.js';
import type { Authenticator, HowToAuthenticate } from './authenticator.js';
import { PASSPORT_HEADER, SCOPES_HEADER, selectedTenantIn } from './caller-headers.js';
import type { Identity } from './daemon-caller.js';
import { identityOfTenantCaller } from './tenant-identity.js';

/** The {@link Authenticator} of requests over HTTP: that of the mode, and sessions where the settings take them. */
export const HTTP_AUTHENTICATOR = Symbol('authenticator of HTTP');

/**
 * Takes the session of a browser that signed in at the tenant API (D73), and leaves every request with another
 * credential to the mode's own authenticator. Whoever sends the cookie alone is never let in by anything else: not by
 * the mode off either, once the session has ended.
 */
export class SessionAuthenticator implements Authenticator {
  constructor(
    private readonly mode: Authenticator,
    private readonly sessions: SessionCheck,
    private readonly settings: Settings,
  ) {}

  async identify(request: FastifyRequest): Promise<Identity> {
    if (!this.isBySession(request)) return this.mode.identify(request);
    const caller = await this.find(request.headers.cookie);
    if (!READS.has(request.method)) checkSameOrigin(request, true, this.settings.process.publicUrl);
    if (headerOf(request, PASSPORT_HEADER) !== undefined)
      throw new PassportHeaderMismatch({}, 'A session acts by no passport; leave X-Svc-Passport-Id out');
    return { ...identityOf(caller), selectedTenant: selectedTenantIn(request) };
  }

  describe(): HowToAuthenticate {
    return this.mode.describe();
  }

  private isBySession({ headers }: FastifyRequest): boolean {
    if (!this.settings.daemon.consoleSession || headers.authorization !== undefined) return false;
    if (this.settings.daemon.authMode === 'dev_scopes' && headers[SCOPES_HEADER] !== undefined) return false;
    return headers.cookie !== undefined && isSessionCookieIn(headers.cookie);
  }

  /** @throws InvalidToken for a cookie that this server did not sign; TenantInactive, NotAuthenticated */
  private async find(cookie: string | undefined): Promise<TenantCaller> {
    if (this.sessions.isForged(cookie))
      throw new InvalidToken({ hint: HINT }, 'The cookie svc_session was not signed by this server');
    const caller = await this.findLasting(cookie);
    if (!caller) throw new NotAuthenticated({ hint: HINT }, 'The session has ended');
    return caller;
  }

  private async findLasting(cookie: string | undefined): Promise<TenantCaller | undefined> {
    try {
      return await this.sessions.find(cookie);
    } catch (error) {
      if (error instanceof Unauthorized) throw new TenantInactive({ hint: HINT }, error.message);
      throw error;
    }
  }
}

const READS = new Set(['GET', 'HEAD']);
const HINT = 'Sign in again: /console, or POST /console/api/frontdoor/auth/connect';

const identityOf = (caller: TenantCaller): Omit<Identity, 'selectedTenant'> => ({
  ...identityOfTenantCaller(caller, 'session'),
  session: { id: caller.session!.sessionId, expiresAt: caller.session!.expiresAt },
});
