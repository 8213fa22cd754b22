import { Body, Controller, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { MANY_JSON_MEMBERS } from '../../../common/http/json-body.js';
import { ApiDrift, ApiDriftRequest } from './api-drift.dto.js';
import { ApiDriftService } from './api-drift.service.js';
import { AuditReadsService } from './audit-reads.service.js';
import { PolicySimulation, PolicySimulationRequest } from './policy-simulation.dto.js';
import { PolicySimulationsService } from './policy-simulations.service.js';
import { RouteProbe, RouteProbeRequest } from './route-probe.dto.js';
import { RouteProbeService } from './route-probe.service.js';
import { AuditTriage, ReasoningQuery, ReasoningTimeline, TriageQuery } from './timelines.dto.js';

const tag = 'workbench';

@Controller()
export class WorkbenchChecksController {
  constructor(
    private readonly audits: AuditReadsService,
    private readonly probes: RouteProbeService,
    private readonly drifts: ApiDriftService,
    private readonly simulations: PolicySimulationsService,
  ) {}

  @Route('GET /v1/workbench/audit-triage', {
    tag,
    service: 'audit:triage',
    summary: 'Triage failures and refusals',
    description:
      'Failed steps, refused calls and deletions, rejected gates and open incidents of a window of time, alike ones together, and the newest receipts, verified again.',
    access: anyOf('admin:read', 'admin:write', 'audit:triage'),
    reply: ok(AuditTriage),
  })
  triageAudit(@Caller() caller: DaemonCaller, @Query() query: TriageQuery): Promise<AuditTriage> {
    return this.audits.triage(caller, query);
  }

  @Route('GET /v1/workbench/reasoning-timeline', {
    tag,
    service: 'reasoning:timeline',
    summary: 'Read what was done and why',
    description: 'Receipts, steps, refusals, approvals and gates of a session, an actor or everybody, oldest first.',
    access: anyOf('admin:read', 'admin:write', 'reasoning:timeline'),
    reply: ok(ReasoningTimeline),
  })
  readReasoning(@Caller() caller: DaemonCaller, @Query() query: ReasoningQuery): Promise<ReasoningTimeline> {
    return this.audits.timeline(caller, query);
  }

  @Route('POST /v1/workbench/route-probe', {
    tag,
    service: 'route_probe:lab',
    summary: 'Probe a route without calling it',
    description:
      'What off, shadow and enforce would make of a request with some scopes, by the guards themselves. Nothing is run.',
    access: anyOf('admin:read', 'admin:write', 'route_probe:lab'),
    reply: ok(RouteProbe),
  })
  async probeRoute(@Body() body: RouteProbeRequest): Promise<RouteProbe> {
    return this.probes.probe(body);
  }

  @Route('POST /v1/workbench/api-drift', {
    tag,
    service: 'api_drift:check',
    summary: 'Compare a manifest with the live one',
    description:
      'What a client that was made for the sent OpenAPI document meets here, and whether it breaks. Fails where anything does.',
    access: anyOf('admin:read', 'admin:write', 'api_drift:check'),
    reply: ok(ApiDrift),
    memberLimit: MANY_JSON_MEMBERS,
    tried: { body: { manifest: { openapi: '3.1.0', paths: { '/v1/facts': { put: { responses: {} } } } } } },
  })
  compareManifest(@Body() body: ApiDriftRequest): Promise<ApiDrift> {
    return this.drifts.compare(body);
  }

  @Route('POST /v1/workbench/policy-simulation', {
    tag,
    service: 'policy:simulate',
    summary: 'Replay shield decisions under another policy',
    description:
      'The newest decisions of the tenant are decided again by the rules of the shield, without effect and without a record; what would be decided otherwise is listed. Fails where calls that were let through would be refused.',
    access: anyOf('admin:read', 'admin:write', 'policy:simulate'),
    reply: ok(PolicySimulation),
    tried: { body: { policy: { require_server_id: true } } },
  })
  simulatePolicy(@Caller() caller: DaemonCaller, @Body() body: PolicySimulationRequest): Promise<PolicySimulation> {
    return this.simulations.simulate(caller, body);
  }
}
