import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Fence } from '../../../common/contract/fence.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { WorkListService } from './work-list.service.js';
import { WorkItem } from './work-item.dto.js';
import { ChangeWork, CreateWork, WorkChangeReply, WorkList, WorkPath, WorkQuery } from './work.dto.js';
import { WorkChanged, WorkUnknown } from './work.problems.js';
import { WorkService } from './work.service.js';

const tag = 'work';
const reading = { tag, access: anyOf('admin:read') };
const writing = { tag, access: anyOf('facts:write'), tenantBound: true } as const;

@Controller()
export class WorkController {
  constructor(
    private readonly work: WorkService,
    private readonly lists: WorkListService,
  ) {}

  @Route('GET /v1/work', {
    ...reading,
    summary: 'List work',
    description:
      'The board, by priority and age. With `source` also, or only, the check-lists of the plan files below SVC_EXECPLANS_ROOT: a file that cannot be read is a warning. `approvals` has what of the items on the page waits for an approval.',
    reply: ok(WorkList),
  })
  listWork(@Caller() caller: DaemonCaller, @Query() query: WorkQuery): Promise<WorkList> {
    return this.lists.list(caller, query);
  }

  @Route('POST /v1/work', {
    ...writing,
    summary: 'Create a work item',
    description: 'Receipted (work.created) in a chain of receipts that the item has to itself.',
    reply: ok(WorkItem),
  })
  createWork(@Caller() caller: DaemonCaller, @Body() body: CreateWork): Promise<WorkItem> {
    return this.work.create(caller, body);
  }

  @Route('GET /v1/work/:id', { ...reading, summary: 'Read a work item', reply: ok(WorkItem), problems: [WorkUnknown] })
  readWork(@Caller() caller: DaemonCaller, @Param() { id }: WorkPath): Promise<WorkItem> {
    return this.work.read(caller, id);
  }

  @Route('PATCH /v1/work/:id', {
    ...writing,
    summary: 'Change a work item',
    description:
      'null empties a member that can be empty; what is left out stays. A move that is not in the table of moves is refused (400), with those that are. A move that needs an approval is queued: the item keeps its state, the answer is 200 with the gate in `queued`, and the other members are applied.',
    fenced: true,
    reply: ok(WorkChangeReply),
    problems: [WorkUnknown, WorkChanged, LegalHold],
    tried: { body: { state: 'ready' }, after: ['setGatePolicy'] },
  })
  changeWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Body() body: ChangeWork,
    @Fence() fence?: number,
  ): Promise<WorkChangeReply> {
    return this.work.change(caller, id, body, fence);
  }
}
