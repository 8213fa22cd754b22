import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerOf, headerOf } from '../../../common/http/headers.js';
import { AgentCheck } from '../../../common/keys/agent-check.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import type { AgentStanding } from './agents.types.js';
import { headersOf } from './agents.views.js';
import { agentIdOf, StandingService } from './standing.service.js';

/**
 * Puts the four x-svc-* headers on every answer to an agent that registered itself, whatever made the answer: a
 * handler, a guard, or the server itself for an address that does not exist. It looks when the answer is ready, so that
 * the numbers count what the request has done.
 */
@Injectable()
export class StandingHeaders implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly agents: AgentCheck,
    private readonly standings: StandingService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.adapterHost.httpAdapter.getInstance<FastifyInstance>().addHook('onSend', (request, reply, payload, done) => {
      const looking = this.lookUp(request);
      if (!looking) return done(null, payload);
      looking
        .then((standing) => void (standing && reply.headers(headersOf(standing))))
        // The answer itself is good without them.
        .catch((error: unknown) =>
          this.log.warn({ request_id: request.id, error }, 'the headers of an agent are missing'),
        )
        .finally(() => done(null, payload));
    });
  }

  /** @returns undefined, at once, where the answer is not one to such an agent */
  private lookUp(request: FastifyRequest): Promise<AgentStanding | undefined> | undefined {
    const { caller, registeredAgent } = request;
    if (registeredAgent) return Promise.resolve(registeredAgent);
    if (caller) return caller.authType === 'agent' ? this.standings.find(agentIdOf(caller)) : undefined;
    if (headerOf(request, 'x-api-key') !== undefined) return undefined;
    // Refused before anyone asked who calls, or on a route that nobody asks on.
    const token = bearerOf(request);
    const address = token === undefined ? undefined : this.agents.read(token);
    return address && this.standings.find(address.agentId, address.hash);
  }
}
