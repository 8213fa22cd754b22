import type { FastifyRequest } from 'fastify';
import type { Identity } from './daemon-caller.js';

/** The process's {@link Authenticator}. */
export const AUTHENTICATOR = Symbol('authenticator');

/** Finds out who calls, in one of the modes of memory-daemon.md 5.1. */
export interface Authenticator {
  /**
   * @throws NotAuthenticated when no valid credential came with the request, PassportHeaderMismatch when
   * X-Svc-Passport-Id is not the token's, ServiceUnavailable when the token's key can be looked up nowhere just now
   */
  identify(request: FastifyRequest): Promise<Identity>;
  /** Before the daemon listens: what can be found out then is. */
  prepare?(): Promise<void>;
  /** What anybody may know of it. */
  describe(): HowToAuthenticate;
}

/** How a caller presents itself; holds no secret. */
export interface HowToAuthenticate {
  /** What to send. */
  hint: string;
  /** Of tokens; empty where none are taken. */
  algorithms: readonly string[];
  issuer?: string | undefined;
  audience?: string | undefined;
  jwksUrl?: string | undefined;
  discoveryUrl?: string | undefined;
}
