import { Body, Controller, Header, Headers, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ReceiptNotLogged } from '../../../common/evidence-log/evidence-log.problems.js';
import { EvidenceDamaged, ExportTooLarge } from '../../evidence/exports/exports.problems.js';
import { attach, EXPORT_REPLY, PresentedExport } from '../../evidence/exports/exports.views.js';
import { IncidentExportsService } from './incident-exports.service.js';
import { IncidentHoldsService } from './incident-holds.service.js';
import {
  ChangeIncident,
  HoldIncident,
  IncidentHoldReply,
  IncidentList,
  IncidentPath,
  IncidentQuery,
  IncidentReply,
  OpenIncident,
  ShownIncident,
} from './incidents.dto.js';
import { IncidentChanged, IncidentClosed, IncidentUnknown, LegalHoldsOff } from './incidents.problems.js';
import { IncidentsService } from './incidents.service.js';
import { IncidentTimelineService } from './timeline/incident-timeline.service.js';
import { IncidentTimeline, TimelineQuery } from './timeline/timeline.dto.js';

const COMMON = { tag: 'incidents', flag: 'incidents', tenantBound: true } as const;
const reads = anyOf('query:read', 'admin:read');
const writes = anyOf('facts:write', 'admin:write');

@Controller()
export class IncidentsController {
  constructor(
    private readonly incidents: IncidentsService,
    private readonly timelines: IncidentTimelineService,
    private readonly exports: IncidentExportsService,
    private readonly holds: IncidentHoldsService,
  ) {}

  @Route('POST /v1/incidents', {
    ...COMMON,
    summary: 'Open an incident',
    description:
      'A case that gathers what happened in a window of time: sessions, agents, entities. Its opening leaves a signed receipt, which case_record_id names.',
    access: writes,
    reply: ok(IncidentReply),
  })
  openIncident(@Caller() caller: DaemonCaller, @Body() body: OpenIncident): Promise<IncidentReply> {
    return this.incidents.open(caller, body);
  }

  @Route('GET /v1/incidents', { ...COMMON, summary: 'List incidents', access: reads, reply: ok(IncidentList) })
  listIncidents(@Caller() caller: DaemonCaller, @Query() query: IncidentQuery): Promise<IncidentList> {
    return this.incidents.list(caller, query);
  }

  @Route('GET /v1/incidents/:id', {
    ...COMMON,
    summary: 'Read an incident',
    access: reads,
    reply: ok(ShownIncident),
    problems: [IncidentUnknown],
  })
  readIncident(@Caller() caller: DaemonCaller, @Param() { id }: IncidentPath): Promise<ShownIncident> {
    return this.incidents.read(caller, id);
  }

  @Route('PATCH /v1/incidents/:id', {
    ...COMMON,
    extension: true,
    summary: 'Change an incident',
    description:
      'Notes are added to those there are. A move that the status does not allow is 400 and names those it does.',
    access: writes,
    reply: ok(IncidentReply),
    problems: [IncidentUnknown, IncidentChanged],
  })
  changeIncident(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Body() body: ChangeIncident,
  ): Promise<IncidentReply> {
    return this.incidents.change(caller, id, body);
  }

  @Route<object>('POST /v1/incidents/:id/export', {
    ...COMMON,
    ...EXPORT_REPLY,
    summary: 'Export an incident',
    description:
      'A file that verifies offline, with `svc verify` or any program that follows docs/formats/export.md: the case, its own receipts and events, the receipts of its window, and the facts of its entities that the caller may see.',
    access: anyOf('admin:read', 'exports:read', 'query:read'),
    problems: [IncidentUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged],
  })
  @Header('vary', 'accept')
  async exportIncident(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Query() how: PresentedExport,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return attach(reply, await this.exports.make(caller, id, { ...how, accept }));
  }

  @Route('GET /v1/incidents/:id/timeline', {
    ...COMMON,
    extension: true,
    summary: 'Read the timeline of an incident',
    description:
      'What happened in its window, oldest first: receipts, events, facts that everybody sees, steps, decisions, approvals and gates. Where the incident names sessions, agents or entities, what is of one of them.',
    access: reads,
    reply: ok(IncidentTimeline),
    problems: [IncidentUnknown],
  })
  readTimeline(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Query() query: TimelineQuery,
  ): Promise<IncidentTimeline> {
    return this.timelines.read(caller, id, query);
  }

  @Route('POST /v1/incidents/:id/hold', {
    ...COMMON,
    extension: true,
    summary: 'Hold what an incident is about',
    description:
      'Places a legal hold over the entities of the incident, and what else is named. It cannot be released before the incident is closed.',
    access: anyOf('admin:write'),
    reply: ok(IncidentHoldReply),
    problems: [IncidentUnknown, IncidentClosed, LegalHoldsOff],
    tried: { body: { entity_prefixes: ['project:atlas'] } },
  })
  holdIncident(
    @Caller() caller: DaemonCaller,
    @Param() { id }: IncidentPath,
    @Body() body: HoldIncident,
  ): Promise<IncidentHoldReply> {
    return this.holds.place(caller, id, body);
  }
}
