import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Fence } from '../../../common/contract/fence.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { BlockersService } from './blockers.service.js';
import {
  BlockerPath,
  BlockerReply,
  CreateComment,
  WorkBlockers,
  WorkComment,
  WorkComments,
  WorkTransitions,
} from './work-records.dto.js';
import { WorkRecordsService } from './work-records.service.js';
import { WorkPath } from './work.dto.js';
import { BlockerCycle, WorkUnknown } from './work.problems.js';

const tag = 'work';
const problems = [WorkUnknown];
const reading = { tag, problems, access: anyOf('admin:read') };
const writing = { tag, problems, access: anyOf('facts:write'), tenantBound: true, fenced: true } as const;
const extension = true;

@Controller()
export class WorkRecordsController {
  constructor(
    private readonly records: WorkRecordsService,
    private readonly blockers: BlockersService,
  ) {}

  @Route('GET /v1/work/:id/comments', { ...reading, summary: 'List the comments on an item', reply: ok(WorkComments) })
  listComments(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Query() query: PageQuery,
  ): Promise<WorkComments> {
    return this.records.listComments(caller, id, query);
  }

  @Route('POST /v1/work/:id/comments', { ...writing, summary: 'Comment on a work item', reply: ok(WorkComment) })
  commentOnWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Body() body: CreateComment,
    @Fence() fence?: number,
  ): Promise<WorkComment> {
    return this.records.comment(caller, id, body, fence);
  }

  @Route('GET /v1/work/:id/transitions', {
    ...reading,
    summary: 'List how an item moved',
    description: 'Every change of its state with who, when, why, and the receipt; the creation comes first.',
    reply: ok(WorkTransitions),
  })
  listTransitions(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Query() query: PageQuery,
  ): Promise<WorkTransitions> {
    return this.records.listTransitions(caller, id, query);
  }

  @Route('GET /v1/work/:id/blockers', {
    ...{ ...reading, extension },
    summary: 'List what blocks an item',
    reply: ok(WorkBlockers),
  })
  listBlockers(@Caller() caller: DaemonCaller, @Param() { id }: WorkPath): Promise<WorkBlockers> {
    return this.blockers.list(caller, id);
  }

  @Route('PUT /v1/work/:id/blockers/:other', {
    ...{ ...writing, extension },
    summary: 'Add a blocker to an item',
    description: 'The other item has to be done or cancelled before this one is ready. A circle is refused (409).',
    reply: ok(BlockerReply),
    problems: [WorkUnknown, BlockerCycle],
  })
  addBlocker(
    @Caller() caller: DaemonCaller,
    @Param() path: BlockerPath,
    @Fence() fence?: number,
  ): Promise<BlockerReply> {
    return this.blockers.add(caller, path, fence);
  }

  @Route('DELETE /v1/work/:id/blockers/:other', {
    ...{ ...writing, extension },
    summary: 'Remove a blocker of an item',
    description: 'One that is none stays none, with `changed` false.',
    reply: ok(BlockerReply),
  })
  removeBlocker(
    @Caller() caller: DaemonCaller,
    @Param() path: BlockerPath,
    @Fence() fence?: number,
  ): Promise<BlockerReply> {
    return this.blockers.remove(caller, path, fence);
  }
}
