import { Body, Controller, Query } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  Expansion,
  ExpandRequest,
  IncomingQuery,
  IncomingRelations,
  OutgoingQuery,
  OutgoingRelations,
  RelationRecord,
  StoreRelation,
} from './relations.dto.js';
import { RelationsService } from './relations.service.js';

const tag = 'relations';

@Controller()
export class RelationsController {
  constructor(private readonly relations: RelationsService) {}

  @Route('GET /v1/relations', {
    tag,
    summary: 'List the outgoing relations of an artifact',
    description: 'By edge_type and to_id. Where there are more than `limit`, next_cursor leads on.',
    access: anyOf('admin:read'),
    reply: ok(OutgoingRelations),
  })
  listOutgoingRelations(@Caller() caller: DaemonCaller, @Query() query: OutgoingQuery): Promise<OutgoingRelations> {
    return this.relations.listOutgoing(caller, query);
  }

  @Route('POST /v1/relations', {
    tag,
    summary: 'Store a relation',
    description:
      'tenant_id, from_id, to_id and edge_type are its identity: stored again, it takes the new confidence and updated_at_micros and keeps its ' +
      'created_at_micros.',
    access: anyOf('facts:write', 'admin:write'),
    tenantBound: true,
    reply: ok(RelationRecord),
  })
  storeRelation(@Caller() caller: DaemonCaller, @Body() body: StoreRelation): Promise<RelationRecord> {
    return this.relations.record(caller, body);
  }

  @Route('GET /v1/relations/incoming', {
    tag,
    summary: 'List the incoming relations of an artifact',
    description: 'By edge_type and from_id, page by page.',
    access: anyOf('admin:read'),
    reply: ok(IncomingRelations),
  })
  listIncomingRelations(@Caller() caller: DaemonCaller, @Query() query: IncomingQuery): Promise<IncomingRelations> {
    return this.relations.listIncoming(caller, query);
  }

  @Route('POST /v1/relations/expand', {
    tag,
    summary: 'Expand a set of artifacts along their relations',
    description:
      'Follows relations breadth first, the most confident of the best artifacts first, until max_hops are done or the budget is used up. The seeds ' +
      'are part of the answer, at hop_distance 0 with score 1. An artifact has its smallest hop_distance, and as its score the best product of ' +
      'confidences along a path of that length, times 0.5 for each hop. Every relation followed costs one of the budget, also one that leads to what ' +
      'is known already; those below min_confidence or of another type cost nothing. Changes nothing, but as a POST it is write-class to route-auth.',
    access: anyOf('admin:read'),
    reply: ok(Expansion),
  })
  expandRelations(@Caller() caller: DaemonCaller, @Body() body: ExpandRequest): Promise<Expansion> {
    return this.relations.expand(caller, body);
  }
}
