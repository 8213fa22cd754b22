import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import {
  CapabilityList,
  CapabilityPath,
  CapabilityQuery,
  CapabilityRecord,
  CapabilityTree,
} from './capability-records.dto.js';
import { CapabilityCoverage, CapabilityGaps, CapabilityPromises } from './capability-analyses.dto.js';
import { AuditCapability, AuditReply, CapabilityAuditList } from './capability-audits.dto.js';
import { AuditChanged, CapabilityUnknown } from './capabilities.problems.js';
import { CapabilityReadsService } from './capability-reads.service.js';
import { CapabilityAuditsService } from './capability-audits.service.js';

const ROOT = '/v1/features/capabilities';
const READS = { tag: 'capabilities', access: anyOf('facts:read', 'admin:read') } as const;
const OF_ONE = { ...READS, problems: [CapabilityUnknown] };
const FROM =
  'Made of the declarations of routes, flags and tools of all three apps, and of SVCD_CAPABILITIES_FILE. Audits are those of the tenant.';

@Controller()
export class CapabilitiesController {
  constructor(
    private readonly capabilities: CapabilityReadsService,
    private readonly audits: CapabilityAuditsService,
  ) {}

  @Route(`GET ${ROOT}`, { ...READS, summary: 'List capabilities', description: FROM, reply: ok(CapabilityList) })
  listCapabilities(@Caller() caller: DaemonCaller, @Query() query: CapabilityQuery): Promise<CapabilityList> {
    return this.capabilities.list(caller, query);
  }

  @Route(`GET ${ROOT}/analysis/gaps`, { ...READS, summary: 'Find what lacks test or audit', reply: ok(CapabilityGaps) })
  findGaps(@Caller() caller: DaemonCaller, @Query() page: PageQuery): Promise<CapabilityGaps> {
    return this.capabilities.findGaps(caller, page);
  }

  @Route(`GET ${ROOT}/analysis/promises`, {
    ...READS,
    summary: 'Find who keeps promises',
    reply: ok(CapabilityPromises),
  })
  listPromises(@Caller() caller: DaemonCaller, @Query() page: PageQuery): Promise<CapabilityPromises> {
    return this.capabilities.listPromises(caller, page);
  }

  @Route(`GET ${ROOT}/analysis/coverage`, {
    ...READS,
    summary: 'Measure coverage by system',
    reply: ok(CapabilityCoverage),
  })
  measureCoverage(@Caller() caller: DaemonCaller): Promise<CapabilityCoverage> {
    return this.capabilities.measureCoverage(caller);
  }

  @Route(`GET ${ROOT}/:id`, { ...OF_ONE, summary: 'Read a capability', reply: ok(CapabilityRecord) })
  readCapability(@Caller() caller: DaemonCaller, @Param() { id }: CapabilityPath): Promise<CapabilityRecord> {
    return this.capabilities.read(caller, id);
  }

  @Route(`GET ${ROOT}/:id/tree`, { ...OF_ONE, summary: 'Read what a capability rests on', reply: ok(CapabilityTree) })
  readTree(@Caller() caller: DaemonCaller, @Param() { id }: CapabilityPath): Promise<CapabilityTree> {
    return this.capabilities.readTree(caller, id);
  }

  @Route(`POST ${ROOT}/:id/audit`, {
    tag: 'capabilities',
    summary: 'Record an audit of a capability',
    description: 'Audits are only added to. Each leaves a signed receipt; notes stand in neither receipt nor event.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(AuditReply),
    problems: [CapabilityUnknown, AuditChanged],
  })
  auditCapability(
    @Caller() caller: DaemonCaller,
    @Param() { id }: CapabilityPath,
    @Body() body: AuditCapability,
  ): Promise<AuditReply> {
    return this.audits.record(caller, id, body);
  }

  @Route(`GET ${ROOT}/:id/audits`, {
    ...OF_ONE,
    extension: true,
    summary: 'List the audits of a capability',
    reply: ok(CapabilityAuditList),
  })
  listAudits(
    @Caller() caller: DaemonCaller,
    @Param() { id }: CapabilityPath,
    @Query() page: PageQuery,
  ): Promise<CapabilityAuditList> {
    return this.audits.list(caller, id, page);
  }
}
