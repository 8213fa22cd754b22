import { Body, Controller, Query } from '@nestjs/common';
import { ok } from '../../common/contract/contract.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
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

  @DaemonRoute('GET /v1/relations', {
    tag,
    summary: 'List the relations that go out from an artifact',
    description: 'By edge_type and to_id. Where there are more than `limit`, next_cursor leads on.',
    scopes: anyOf('admin:read'),
    reply: ok(OutgoingRelations),
  })
  listOutgoing(@Acting() caller: DaemonCaller, @Query() query: OutgoingQuery): Promise<OutgoingRelations> {
    return this.relations.listOutgoing(caller, query);
  }

  @DaemonRoute('POST /v1/relations', {
    tag,
    summary: 'Store a relation',
    description:
      'tenant_id, from_id, to_id and edge_type are its identity: stored again, it takes the new confidence and updated_at_micros and keeps its ' +
      'created_at_micros.',
    scopes: anyOf('facts:write', 'admin:write'),
    tenantBound: true,
    reply: ok(RelationRecord),
  })
  storeRelation(@Acting() caller: DaemonCaller, @Body() body: StoreRelation): Promise<RelationRecord> {
    return this.relations.record(caller, body);
  }

  @DaemonRoute('GET /v1/relations/incoming', {
    tag,
    summary: 'List the relations that go to an artifact',
    description: 'By edge_type and from_id, page by page.',
    scopes: anyOf('admin:read'),
    reply: ok(IncomingRelations),
  })
  listIncoming(@Acting() caller: DaemonCaller, @Query() query: IncomingQuery): Promise<IncomingRelations> {
    return this.relations.listIncoming(caller, query);
  }

  @DaemonRoute('POST /v1/relations/expand', {
    tag,
    summary: 'Find what hangs together with some artifacts',
    description:
      'Goes along relations breadth first, the most confident of the best artifacts first, until max_hops are gone or the budget is used up. The seeds ' +
      'are part of the answer, at hop_distance 0 with score 1. An artifact has its smallest hop_distance, and as its score the best product of ' +
      'confidences along a way of that length, times 0.5 for each hop. Every relation gone along costs one of the budget, also one that leads to what ' +
      'is known already; those below min_confidence or of another type cost nothing. Changes nothing, but as a POST it is write-class to route-auth.',
    scopes: anyOf('admin:read'),
    reply: ok(Expansion),
  })
  expand(@Acting() caller: DaemonCaller, @Body() body: ExpandRequest): Promise<Expansion> {
    return this.relations.expand(caller, body);
  }
}
