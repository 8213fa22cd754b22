import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok, okBytes } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ConformanceReport } from './conformance.dto.js';
import { ConformanceService } from './conformance.service.js';
import { AuditQuery, SessionAudit } from './observe-audit.dto.js';
import { ObserveAuditService } from './observe-audit.service.js';
import { ObserveExport, ObserveExportQuery } from './observe-export.dto.js';
import { ObserveExportService } from './observe-export.service.js';
import { CloseStep, ObservedSessionPath, ObservedStepPath, ObserveNodeReply, OpenStep } from './observe-steps.dto.js';
import { ObserveStepsService } from './observe-steps.service.js';
import {
  ObserveSessionArchived,
  ObserveSessionUnknown,
  ObserveStepClosed,
  ObserveStepKnown,
  ObserveStepUnknown,
} from './observe.problems.js';

const tag = 'observe';
const flag = 'observe' as const;
const writes = anyOf('facts:write', 'admin:write');
const reads = anyOf('facts:read', 'admin:read');

@Controller()
export class ObserveController {
  constructor(
    private readonly steps: ObserveStepsService,
    private readonly audits: ObserveAuditService,
    private readonly conformance: ConformanceService,
    private readonly exports: ObserveExportService,
  ) {}

  @Route('POST /v1/observe/sessions/:id/steps', {
    ...{ tag, flag, summary: 'Open a step of a session', access: writes, reply: ok(ObserveNodeReply) },
    description:
      'Leaves a signed receipt that binds what was opened. What is kept of texts is what SVCD_OBSERVE_REDACT says; a text of more than 4 KiB is kept as its digest and size. The parent must be there, so that steps are trees.',
    problems: [ObserveStepKnown, ObserveSessionArchived],
  })
  openStep(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ObservedSessionPath,
    @Body() body: OpenStep,
  ): Promise<ObserveNodeReply> {
    return this.steps.open(caller, id, body);
  }

  @Route('PATCH /v1/observe/sessions/:id/steps/:node_id', {
    ...{ tag, flag, summary: 'Close a step of a session', access: writes, reply: ok(ObserveNodeReply) },
    description: 'Once: the same again answers the step as it is, and anything else is refused.',
    problems: [ObserveStepUnknown, ObserveStepClosed, ObserveSessionArchived],
    tried: { from: { node_id: 'openStep#/node/node_id' } },
  })
  closeStep(
    @Caller() caller: DaemonCaller,
    @Param() { id, node_id }: ObservedStepPath,
    @Body() body: CloseStep,
  ): Promise<ObserveNodeReply> {
    return this.steps.close(caller, id, node_id, body);
  }

  @Route('GET /v1/observe/sessions/:id/audit', {
    ...{ tag, flag, summary: 'List the steps of a session', access: reads, reply: ok(SessionAudit) },
    description: 'In the order of the tree, page by page; parent_id and depth show a part of it.',
    problems: [ObserveSessionUnknown],
    tried: { after: ['openStep'] },
  })
  auditSession(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ObservedSessionPath,
    @Query() query: AuditQuery,
  ): Promise<SessionAudit> {
    return this.audits.list(caller, id, query);
  }

  @Route('GET /v1/observe/sessions/:id/audit/conformance', {
    ...{ tag, flag, summary: 'Hold a session against named rules', access: reads, reply: ok(ConformanceReport) },
    description:
      'Every step and every receipt that a step names is looked at again. An aid for whoever assesses, and no conformity assessment.',
    problems: [ObserveSessionUnknown],
    tried: { after: ['openStep'] },
  })
  checkConformance(@Caller() caller: DaemonCaller, @Param() { id }: ObservedSessionPath): Promise<ConformanceReport> {
    return this.conformance.report(caller, id);
  }

  @Route('GET /v1/observe/sessions/:id/audit/export', {
    ...{ tag, flag, summary: 'Export a session', access: reads },
    description:
      'Steps, the receipts that they name, and what the rules find. The article mapping is an aid, not a conformity assessment. format=otlp-json and format=ocsf give the steps to programs that read those.',
    reply: okBytes('application/json; charset=utf-8', {
      oneOf: [
        ObserveExport,
        {
          type: 'object',
          required: ['resourceSpans'],
          properties: { resourceSpans: { type: 'array', items: { type: 'object' } } },
        },
        { type: 'array', items: { type: 'object' } },
      ],
    }),
    problems: [ObserveSessionUnknown],
    tried: { after: ['openStep'] },
  })
  exportSession(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ObservedSessionPath,
    @Query() { format }: ObserveExportQuery,
  ): Promise<string | Uint8Array> {
    return this.exports.write(caller, id, format);
  }
}
