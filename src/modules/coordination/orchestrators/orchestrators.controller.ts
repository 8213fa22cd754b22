import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { OrchestratedWork } from './orchestrated-work.dto.js';
import { OrchestratorMembersService } from './orchestrator-members.service.js';
import {
  AddOrchestratorMember,
  ChangeOrchestrator,
  CreateOrchestrator,
  OrchestratorList,
  OrchestratorMemberPath,
  OrchestratorPath,
  OrchestratorQuery,
  OrchestratorReply,
} from './orchestrators.dto.js';
import {
  OrchestratorArchived,
  OrchestratorChanged,
  OrchestratorCycle,
  OrchestratorFull,
  OrchestratorMemberKnown,
  OrchestratorMemberUnknown,
  OrchestratorUnknown,
} from './orchestrators.problems.js';
import { OrchestratorsService } from './orchestrators.service.js';

const tag = 'orchestrators';
const flag = 'orchestrators' as const;
const reads = anyOf('facts:read', 'admin:read');
const writes = anyOf('facts:write', 'admin:write');
const reply = ok(OrchestratorReply);

@Controller()
export class OrchestratorsController {
  constructor(
    private readonly orchestrators: OrchestratorsService,
    private readonly members: OrchestratorMembersService,
  ) {}

  @Route('GET /v1/orchestrators', {
    tag,
    flag,
    summary: 'List orchestrators',
    access: reads,
    reply: ok(OrchestratorList),
  })
  listOrchestrators(@Caller() caller: DaemonCaller, @Query() query: OrchestratorQuery): Promise<OrchestratorList> {
    return this.orchestrators.list(caller, query);
  }

  @Route('POST /v1/orchestrators', {
    ...{ tag, flag, summary: 'Create an orchestrator', access: writes, reply },
    description: 'What several agents and their work are gathered under: passports, work items, other orchestrators.',
  })
  createOrchestrator(@Caller() caller: DaemonCaller, @Body() body: CreateOrchestrator): Promise<OrchestratorReply> {
    return this.orchestrators.create(caller, body);
  }

  @Route('GET /v1/orchestrators/:id', {
    ...{ tag, flag, summary: 'Read an orchestrator with its members', access: reads, reply },
    problems: [OrchestratorUnknown],
  })
  readOrchestrator(@Caller() caller: DaemonCaller, @Param() { id }: OrchestratorPath): Promise<OrchestratorReply> {
    return this.orchestrators.read(caller, id);
  }

  @Route('PATCH /v1/orchestrators/:id', {
    ...{ tag, flag, summary: 'Change an orchestrator', access: writes, reply },
    description:
      'A member that is absent stays as it is. A move that the state does not allow is 400 and names those it does.',
    problems: [OrchestratorUnknown, OrchestratorChanged, OrchestratorArchived],
  })
  changeOrchestrator(
    @Caller() caller: DaemonCaller,
    @Param() { id }: OrchestratorPath,
    @Body() body: ChangeOrchestrator,
  ): Promise<OrchestratorReply> {
    return this.orchestrators.change(caller, id, body);
  }

  @Route('POST /v1/orchestrators/:id/members', {
    ...{ tag, flag, summary: 'Add a member to an orchestrator', access: writes, reply },
    description:
      'Added again, a member stays as it is. Orchestrators can be nested; one that would come to be below itself is refused.',
    problems: [OrchestratorUnknown, OrchestratorArchived, OrchestratorCycle, OrchestratorFull, OrchestratorMemberKnown],
  })
  addOrchestratorMember(
    @Caller() caller: DaemonCaller,
    @Param() { id }: OrchestratorPath,
    @Body() body: AddOrchestratorMember,
  ): Promise<OrchestratorReply> {
    return this.members.add(caller, id, body);
  }

  @Route('DELETE /v1/orchestrators/:id/members/:ref', {
    ...{ tag, flag, summary: 'Remove a member from an orchestrator', access: writes, reply },
    problems: [OrchestratorUnknown, OrchestratorArchived, OrchestratorMemberUnknown],
    tried: { parameters: { ref: 'codex:7' } },
  })
  removeOrchestratorMember(
    @Caller() caller: DaemonCaller,
    @Param() { id, ref }: OrchestratorMemberPath,
  ): Promise<OrchestratorReply> {
    return this.members.remove(caller, id, ref);
  }

  @Route('GET /v1/orchestrators/:id/work', {
    ...{ tag, flag, summary: 'List the work behind an orchestrator', access: reads, reply: ok(OrchestratedWork) },
    description:
      'Its members and those of all orchestrators below it, each with the work behind it counted by state. A passport stands for what is assigned to it.',
    problems: [OrchestratorUnknown],
  })
  listOrchestratedWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: OrchestratorPath,
    @Query() query: PageQuery,
  ): Promise<OrchestratedWork> {
    return this.members.listWork(caller, id, query);
  }
}
