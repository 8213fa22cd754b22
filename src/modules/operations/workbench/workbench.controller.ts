import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, anyone, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Brief, BriefRequest, ContextPack, PackRequest } from './briefs.dto.js';
import { BriefsService } from './briefs.service.js';
import { Handoff, HandoffRequest } from './handoff.dto.js';
import { HandoffService } from './handoff.service.js';
import { Preflight, PreflightRequest } from './preflight.dto.js';
import { PreflightService } from './preflight.service.js';
import { WorkbenchContract } from './workbench.dto.js';
import { WorkbenchContractService } from './workbench-contract.service.js';

const tag = 'workbench';

@Controller()
export class WorkbenchController {
  constructor(
    private readonly contracts: WorkbenchContractService,
    private readonly briefs: BriefsService,
    private readonly preflights: PreflightService,
    private readonly handoffs: HandoffService,
  ) {}

  @Route('GET /v1/workbench/contract', {
    tag,
    summary: 'Read what the workbench offers',
    description: 'The routes with their scopes and services, and whether SVCD_ENABLED_PRO_SERVICES lists these.',
    access: anyone(),
    reply: ok(WorkbenchContract),
  })
  async readWorkbenchContract(): Promise<WorkbenchContract> {
    return this.contracts.read();
  }

  @Route('POST /v1/workbench/brief', {
    tag,
    service: 'agent_brief:pro',
    summary: 'Brief an agent for a task',
    description:
      'Instructions that hold, what is known, how like tasks went, and open work, as Markdown of whole items within token_budget. It goes by the same search as POST /v1/context, whether or not SVCD_CONTEXT_SURFACE is on.',
    access: anyOf('admin:read', 'admin:write', 'agent_brief:pro'),
    reply: ok(Brief),
  })
  briefAgent(@Caller() caller: DaemonCaller, @Body() body: BriefRequest): Promise<Brief> {
    return this.briefs.brief(caller, body);
  }

  @Route('POST /v1/workbench/context-pack', {
    tag,
    service: 'context_pack:budgeted',
    summary: 'Pack a context within a budget',
    description: 'Whole items with their digests and reasons, and what was left out with its reason.',
    access: anyOf('admin:read', 'admin:write', 'context_pack:budgeted'),
    reply: ok(ContextPack),
  })
  packContext(@Caller() caller: DaemonCaller, @Body() body: PackRequest): Promise<ContextPack> {
    return this.briefs.pack(caller, body);
  }

  @Route('POST /v1/workbench/impact-preflight', {
    tag,
    service: 'impact:preflight',
    summary: 'Check what a change would meet',
    description:
      'Who holds the paths, who is about to change them, which open work names them, and what depends on them. It fails where another holds one of them to write, and changes nothing.',
    access: anyOf('admin:read', 'admin:write', 'impact:preflight'),
    reply: ok(Preflight),
  })
  checkImpact(@Caller() caller: DaemonCaller, @Body() body: PreflightRequest): Promise<Preflight> {
    return this.preflights.check(caller, body);
  }

  @Route('POST /v1/workbench/handoff-v2', {
    tag,
    service: 'handoff:v2',
    summary: 'Make a handoff',
    description:
      'Open work, live leases with their fences, gates that wait, and the last receipts of who hands over. Nothing is released: the findings say what to release. With SVCD_HANDOFF_OBSERVATIONS it leaves a step in the observed session.',
    access: anyOf('admin:read', 'admin:write', 'handoff:v2'),
    reply: ok(Handoff),
  })
  makeHandoff(@Caller() caller: DaemonCaller, @Body() body: HandoffRequest): Promise<Handoff> {
    return this.handoffs.make(caller, body);
  }
}
