import { setTimeout } from 'node:timers/promises';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { CitationsService } from './citations.service.js';

/** Every process writes its light retrievals down each 100 ms. */
export const REMEMBERED_WITHIN_MS = 150;

/** Of who names none, as the bodies of these routes have it. */
const DEFAULT_AGENT = 'default-agent';

/** What a recording or a proof is asked for with; nothing of it was checked yet. */
interface Asked {
  agentId?: unknown;
  citations?: unknown;
  answerId?: unknown;
  artefact_id?: unknown;
  retrievalId?: unknown;
}

/**
 * Of a request that takes up the last retrieval of an agent: another process may have answered it just now and not
 * written it down. That is waited for here, before the unit of work of the request opens, since a connection and its
 * locks would wait as well.
 */
@Injectable()
export class SearchBehindGuard implements CanActivate {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly citations: CitationsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (await this.mayCome(request)) await setTimeout(REMEMBERED_WITHIN_MS);
    return true;
  }

  private async mayCome({ caller, body }: FastifyRequest): Promise<boolean> {
    const { agentId = DEFAULT_AGENT, citations, ...named } = (body ?? {}) as Asked;
    if (!caller || typeof agentId !== 'string') return false;
    if (!Array.isArray(citations)) return (named.answerId ?? named.artefact_id ?? named.retrievalId) === undefined;
    const cited = citations.map((one: { chunkId?: unknown } | null) => one?.chunkId);
    return this.tenancy.run(
      caller.tenantId,
      async () => (await this.citations.findSearchBehind(caller, agentId, cited)) === null,
    );
  }
}
