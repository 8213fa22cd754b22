import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../../common/contract/caller.js';
import { anyOf, ok } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { IncidentPath } from '../incidents.dto.js';
import { IncidentClosed, IncidentUnknown } from '../incidents.problems.js';
import { BlastRadiusReply, RadiusEdges, RadiusNodesQuery, RadiusQuery, WalkRequest } from './blast-radius.dto.js';
import { NothingSetAside, RadiusRootUnknown, RadiusTooLarge, RadiusUnknown } from './blast-radius.problems.js';
import { BlastRadiusService } from './blast-radius.service.js';
import { RadiusReadsService } from './radius-reads.service.js';

const COMMON = { tag: 'incidents', flag: 'incidents', tenantBound: true, extension: true } as const;
const reads = anyOf('query:read', 'admin:read');

@Controller()
export class BlastRadiusController {
  constructor(
    private readonly radii: BlastRadiusService,
    private readonly reads: RadiusReadsService,
  ) {}

  @Route('POST /v1/incidents/:id/blast-radius', {
    ...COMMON,
    summary: 'Find what rests on a bad source',
    description:
      'Walks from a document, passage, fact, receipt or answer to everything that rests on it, and keeps what was found. With apply its documents and facts are set aside in the same transaction: no search, list or proof finds them, reads by id mark them. With undo they come back, but for what another walk has set aside as well.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(BlastRadiusReply),
    problems: [IncidentUnknown, IncidentClosed, RadiusRootUnknown, RadiusUnknown, RadiusTooLarge, NothingSetAside],
    tried: { body: { kind: 'document', id: 'handbook/leave-policy' } },
  })
  walkBlastRadius(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Body() body: WalkRequest,
  ): Promise<BlastRadiusReply> {
    return this.radii.run(caller, id, body);
  }

  @Route('GET /v1/incidents/:id/blast-radius', {
    ...COMMON,
    summary: 'Read what was found to rest on it',
    access: reads,
    reply: ok(BlastRadiusReply),
    problems: [IncidentUnknown, RadiusUnknown],
  })
  readBlastRadius(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Query() query: RadiusNodesQuery,
  ): Promise<BlastRadiusReply> {
    return this.reads.read(caller, id, query);
  }

  @Route('GET /v1/incidents/:id/blast-radius/edges', {
    ...COMMON,
    summary: 'List the edges of a blast radius',
    description: 'Every edge between the things that were reached, so that another program can walk them.',
    access: reads,
    reply: ok(RadiusEdges),
    problems: [IncidentUnknown, RadiusUnknown],
  })
  listBlastRadiusEdges(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Query() query: RadiusQuery,
  ): Promise<RadiusEdges> {
    return this.reads.readEdges(caller, id, query);
  }
}
