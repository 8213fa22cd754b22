import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isDevMode } from '../common/config/daemon/auth-mode.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { routeOf } from '../common/contract/contract.js';
import { SpoofableAuth } from '../common/problem/daemon-problems.js';

/** Routes that take only callers who proved who they are, in the modes that ask nobody (memory-daemon.md 4.8, 3). */
@Injectable()
export class ProvenCallerGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws SpoofableAuth */
  canActivate(context: ExecutionContext): boolean {
    const { authMode = 'off' } = this.settings.daemon;
    if (!isDevMode(authMode) || !routeOf(context.switchToHttp().getRequest<FastifyRequest>())?.provenCaller)
      return true;
    throw new SpoofableAuth(
      { auth_mode: authMode },
      `SVCD_AUTH_MODE=${authMode} believes what a caller says of itself; this address is open under jwt_hs256 and jwt_jwks`,
    );
  }
}
