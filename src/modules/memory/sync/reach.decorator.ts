import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FULL_REACH, type SyncReach } from './sync.types.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that a peer signed; of any other the scopes of its caller decide alone. */
    syncReach?: SyncReach;
  }
}

/** What the caller reaches of the tenant that the address names. */
export const Reach = createParamDecorator(
  (_: unknown, context: ExecutionContext): SyncReach =>
    context.switchToHttp().getRequest<FastifyRequest>().syncReach ?? FULL_REACH,
);
