import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NAMED_AS_ACTING } from '../common/bearer-auth/named-passport.js';
import { PASSPORT } from '../common/fields/passport.js';
import { PassportPresence } from './passport-presence.js';
import { PassportStandings } from './passport-standings.js';

/**
 * The passport that a body names as the one that acts, where the credential says none: it must not be a revoked one
 * either. And notes that the passport of the request was seen (memory-daemon.md 8).
 */
@Injectable()
export class PassportGuard implements CanActivate {
  constructor(
    private readonly standings: PassportStandings,
    private readonly presence: PassportPresence,
  ) {}

  /** @throws PassportRevoked */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { daemonCaller, body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!daemonCaller) return true;
    const { passport, homeTenant } = daemonCaller;
    const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const tenantId = typeof members['tenant_id'] === 'string' ? members['tenant_id'] : homeTenant;
    if (tenantId !== undefined) for (const named of namedIn(members)) await this.standings.check(tenantId, named);
    if (homeTenant !== undefined && passport !== undefined) this.presence.note(homeTenant, passport);
    return true;
  }
}

/** What cannot be one is reported by the validation that follows. */
const namedIn = (members: Record<string, unknown>): string[] =>
  NAMED_AS_ACTING.map((member) => members[member]).filter(
    (named): named is string => typeof named === 'string' && PASSPORT.test(named),
  );
