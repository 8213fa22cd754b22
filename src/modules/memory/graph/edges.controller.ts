import { Body, Controller, Query } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import {
  EdgeAddress,
  EdgeList,
  EdgeReply,
  EdgesQuery,
  Neighbourhood,
  NeighbourhoodRequest,
  StoreEdge,
} from './edges.dto.js';
import { EdgesService } from './edges.service.js';
import { EdgeUnknown } from './graph.problems.js';

const tag = 'graph';

@Controller()
export class EdgesController {
  constructor(private readonly edges: EdgesService) {}

  @Route('GET /v1/edges', {
    tag,
    summary: 'List edges',
    description: 'In the order of their identity. Each filter works alone and with any other.',
    access: anyOf('facts:read', 'admin:read'),
    reply: ok(EdgeList),
  })
  listEdges(@Caller() caller: DaemonCaller, @Query() query: EdgesQuery): Promise<EdgeList> {
    return this.edges.list(caller, query);
  }

  @Route('POST /v1/edges/neighbourhood', {
    tag,
    extension: true,
    summary: 'Read what is around a node',
    description:
      'Follows edges breadth first from a node: of any kind and id, whether or not an entity is stored there. The node itself is at hop 0. Never more edges than the limit; of each node those that go out come first. Changes nothing, but as a POST it is write-class to route-auth.',
    access: anyOf('facts:read', 'admin:read'),
    reply: ok(Neighbourhood),
  })
  readNeighbourhood(@Caller() caller: DaemonCaller, @Body() body: NeighbourhoodRequest): Promise<Neighbourhood> {
    return this.edges.around(caller, body);
  }

  @Route('PUT /v1/edges', {
    tag,
    summary: 'Store an edge',
    description:
      'The five members are its identity: stored again, the same edge gets a new payload and a higher version. The entities it names need not be stored, ' +
      'before or ever. Its kinds are registered with it.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(EdgeReply),
    problems: [LegalHold],
  })
  storeEdge(@Caller() caller: DaemonCaller, @Body() body: StoreEdge): Promise<EdgeReply> {
    return this.edges.record(caller, body);
  }

  @Route('DELETE /v1/edges', {
    tag,
    summary: 'Delete an edge',
    description: 'Takes the five members in the body, not in the query.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(EdgeReply),
    problems: [EdgeUnknown, LegalHold],
  })
  deleteEdge(@Caller() caller: DaemonCaller, @Body() body: EdgeAddress): Promise<EdgeReply> {
    return this.edges.retire(caller, body);
  }
}
