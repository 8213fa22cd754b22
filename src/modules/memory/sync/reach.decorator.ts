import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { hasScope } from '../../../common/bearer-auth/daemon-caller.js';
import { FULL_REACH, type SyncReach } from './sync.types.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that a peer signed; of any other the scopes of its caller decide alone. */
    syncReach?: SyncReach;
  }
}

/**
 * What the caller reaches of the tenant that the address names. Legal holds are placed and released by whom their own
 * routes let do so (0455).
 */
export const Reach = createParamDecorator((_: unknown, context: ExecutionContext): SyncReach => {
  const { syncReach, daemonCaller } = context.switchToHttp().getRequest<FastifyRequest>();
  const mayHold = daemonCaller !== undefined && hasScope(daemonCaller, 'admin:write');
  return syncReach ?? { ...FULL_REACH, mayHold };
});
