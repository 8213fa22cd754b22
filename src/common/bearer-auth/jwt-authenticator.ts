import type { FastifyRequest } from 'fastify';
import type { AuthMode } from '../config/daemon/auth-mode.js';
import { isDuplicated, headerOf } from '../http/headers.js';
import { InvalidToken, NotAuthenticated, PassportHeaderMismatch } from '../problem/daemon-problems.js';
import type { Authenticator, HowToAuthenticate } from './authenticator.js';
import type { Identity } from './daemon-caller.js';
import { PASSPORT_HEADER, selectedTenantIn } from './caller-headers.js';
import type { TokenClaims } from './token-claims.js';
import type { TokenVerifier } from './token-verifier.js';

/** Longest token that is looked at, in bytes; Node.js takes 16 KiB for all headers of a request. */
const MAX_TOKEN_BYTES = 8 * 1024;

/** The modes jwt_hs256 and jwt_jwks: who calls is what a signed token says (memory-daemon.md 5.1; D35). */
export class JwtAuthenticator implements Authenticator {
  constructor(
    private readonly authMode: AuthMode,
    private readonly verifier: TokenVerifier<TokenClaims>,
    private readonly published: Pick<HowToAuthenticate, 'jwksUrl' | 'discoveryUrl'>,
    /** The tenant of tokens that name none. */
    private readonly defaultTenant: string | undefined,
  ) {}

  async prepare(): Promise<void> {
    await this.verifier.keys.prepare?.();
  }

  async identify(request: FastifyRequest): Promise<Identity> {
    const {
      scopes,
      passport,
      principal,
      tokenSubject,
      tenants: claimed,
    } = await this.verifier.verify(this.tokenIn(request));
    const sent = headerOf(request, PASSPORT_HEADER);
    if (sent !== undefined && sent !== passport)
      throw new PassportHeaderMismatch(
        {},
        passport === undefined
          ? 'The token names no passport_id; leave X-Svc-Passport-Id out, or send a token that names it'
          : 'X-Svc-Passport-Id is not the passport_id of the token; leave it out, or send the same',
      );
    const selectedTenant = selectedTenantIn(request);
    const tenants = claimed.length === 0 && this.defaultTenant !== undefined ? [this.defaultTenant] : claimed;
    return { authType: this.authMode, scopes, passport, principal, tokenSubject, tenants, selectedTenant };
  }

  describe(): HowToAuthenticate {
    const { algorithms, audience, hint } = this.verifier.rules;
    return { algorithms, audience, issuer: this.verifier.keys.issuer, hint, ...this.published };
  }

  /** @throws NotAuthenticated, InvalidToken */
  private tokenIn({ headers, raw }: FastifyRequest): string {
    const { hint } = this.verifier.rules;
    const { authorization } = headers;
    if (!authorization) throw new NotAuthenticated({ hint }, 'No token was sent');
    // Node.js keeps the first of several: which of them a proxy in front looked at cannot be known.
    if (isDuplicated(raw, 'authorization')) throw new InvalidToken({ hint }, 'Authorization was sent more than once');
    if (authorization.length > MAX_TOKEN_BYTES)
      throw new InvalidToken({ hint }, `The token is longer than ${MAX_TOKEN_BYTES} bytes`);
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
    if (token === undefined) throw new InvalidToken({ hint }, 'Authorization is not Bearer and a token (RFC 6750)');
    return token;
  }
}
