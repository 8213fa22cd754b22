import { Body, Controller, Query } from '@nestjs/common';
import { ok } from '../../common/contract/contract.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { EdgeAddress, EdgeList, EdgeReply, EdgesQuery, StoreEdge } from './edges.dto.js';
import { EdgesService } from './edges.service.js';
import { EdgeUnknown } from './graph.problems.js';

const tag = 'graph';

@Controller()
export class EdgesController {
  constructor(private readonly edges: EdgesService) {}

  @DaemonRoute('GET /v1/edges', {
    tag,
    summary: 'List edges',
    description: 'In the order of their identity. Each filter works alone and with any other.',
    scopes: anyOf('facts:read', 'admin:read'),
    reply: ok(EdgeList),
  })
  listEdges(@Acting() caller: DaemonCaller, @Query() query: EdgesQuery): Promise<EdgeList> {
    return this.edges.list(caller, query);
  }

  @DaemonRoute('PUT /v1/edges', {
    tag,
    summary: 'Store an edge',
    description:
      'The five members are its identity: stored again, the same edge gets a new payload and a higher version. The entities it names need not be stored, ' +
      'before or ever. Its kinds are registered with it.',
    scopes: anyOf('facts:write', 'admin:write'),
    reply: ok(EdgeReply),
  })
  storeEdge(@Acting() caller: DaemonCaller, @Body() body: StoreEdge): Promise<EdgeReply> {
    return this.edges.record(caller, body);
  }

  @DaemonRoute('DELETE /v1/edges', {
    tag,
    summary: 'Delete an edge',
    description: 'Takes the five members in the body, not in the query.',
    scopes: anyOf('facts:write', 'admin:write'),
    reply: ok(EdgeReply),
    problems: [EdgeUnknown],
  })
  deleteEdge(@Acting() caller: DaemonCaller, @Body() body: EdgeAddress): Promise<EdgeReply> {
    return this.edges.retire(caller, body);
  }
}
