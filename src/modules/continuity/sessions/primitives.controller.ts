import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PrimitiveConflict } from './continuity.problems.js';
import { HomePath, PrimitiveList, PrimitiveQuery, PrimitiveRecord, PrimitiveSent } from './primitives.dto.js';
import { PrimitivesService } from './primitives.service.js';

@Controller()
export class PrimitivesController {
  constructor(private readonly primitives: PrimitivesService) {}

  @Route('GET /v1/home/:agentId/primitives', {
    tag: 'continuity',
    summary: 'List the primitives of an agent',
    description:
      'Its goals, preferences, constraints and skills at their newest versions; retired ones only with includeRetired. With history, every version of one name, newest first. ' +
      'An agent that nobody has written for has an empty home: the list is empty, never 404.',
    access: seats('owner', 'admin', 'member', 'viewer'),
    reply: ok(PrimitiveList),
  })
  listPrimitives(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Query() query: PrimitiveQuery,
  ): Promise<PrimitiveList> {
    return this.primitives.list(caller, agentId, query);
  }

  @Route('POST /v1/home/:agentId/primitives', {
    tag: 'continuity',
    summary: 'Create or replace a primitive',
    description:
      'By compare-and-set. Without expectedVersion (or with 0) it is created, and refused with 409 PrimitiveConflict where it exists. With expectedVersion n it replaces version n and nothing else: ' +
      'when another was faster, 409 with actualVersion. So nothing is overwritten that was not read. Every version stays, with who, when and why. ' +
      'The agent gets its home with its first write. A pin that names nothing is refused with 400.',
    access: seats('owner', 'admin', 'member'),
    reply: created(PrimitiveRecord),
    problems: [PrimitiveConflict],
  })
  writePrimitive(
    @Caller() caller: TenantCaller,
    @Param() { agentId }: HomePath,
    @Body() sent: PrimitiveSent,
  ): Promise<PrimitiveRecord> {
    return this.primitives.write(caller, agentId, sent);
  }
}
