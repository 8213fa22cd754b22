import { Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { HomePath } from '../primitives.dto.js';
import { ChangeList, ChangesQuery } from './changes.dto.js';
import { ChangesService } from './changes.service.js';

@Controller()
export class ChangesController {
  constructor(private readonly changes: ChangesService) {}

  @Route('GET /v1/home/:agentId/changes', {
    tag: 'continuity',
    flag: 'continuity',
    access: seats('owner', 'admin', 'member', 'viewer'),
    summary: 'List what has changed for an agent',
    description:
      'Newest first: alerts of all its watches with the texts before and now, versions of its answers that were replaced, and proofs that ended. What stands in the place of a passage is found out as for GET /v1/passages/:chunkId; the texts of other tenants are there as far as they are shared now. ' +
      'Without the feature of watches there are no alerts. An agent that nobody has written for has none, never 404.',
    reply: ok(ChangeList),
  })
  readChanges(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Query() query: ChangesQuery,
  ): Promise<ChangeList> {
    return this.changes.list(caller, agentId, query);
  }
}
