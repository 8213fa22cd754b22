import type { CanActivate } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyInstance } from 'fastify';
import { Forbidden, unknownAddress } from '../common/problem/common-problems.js';
import { routeOf } from '../common/contract/contract.js';
import { admitRead } from '../common/tenancy/reading.js';

/**
 * The guards that decide who may go on to a route, one after the other. They run before anything of the body is read,
 * so that nobody waits for what a refusal leaves unread; a tenant that the body names is checked after it.
 */
export class RouteGuards {
  constructor(private readonly guards: readonly CanActivate[]) {}

  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async (request, reply) => {
      const context = new ExecutionContextHost([request, reply]);
      for (const guard of this.guards) {
        const verdict = guard.canActivate(context);
        if (verdict !== true && !(await verdict)) throw new Forbidden({}, `${guard.constructor.name} refuses`);
        if (reply.sent) return reply;
      }
      if (request.is404) throw unknownAddress();
      if (!routeOf(request) && !request.routeOptions.config.isPage)
        throw new Forbidden({}, 'This route declares no access');
      admitRead();
      return undefined;
    });
  }
}
