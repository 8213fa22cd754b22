import { Body, Controller, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ActiveIntents, ActiveIntentsQuery, AnnounceReply, AnnounceRequest } from './intents.dto.js';
import { IntentOfAnother } from './intents.problems.js';
import { IntentsService } from './intents.service.js';

const tag = 'coordination';
const flag = 'coord' as const;

@Controller()
export class IntentsController {
  constructor(private readonly intents: IntentsService) {}

  @Route('GET /v1/coord/active', {
    tag,
    flag,
    summary: 'List what agents are about to do',
    description: 'Live intents alone: one that has expired is not shown any more.',
    access: anyOf('admin:read'),
    reply: ok(ActiveIntents),
  })
  listActiveIntents(@Caller() caller: DaemonCaller, @Query() query: ActiveIntentsQuery): Promise<ActiveIntents> {
    return this.intents.listActive(caller, query);
  }

  @Route('POST /v1/coord/announce', {
    tag,
    flag,
    summary: 'Announce what a session is about to do',
    description:
      'In place of what the session announced before; ttl_seconds 0 clears that. What another announced for the session, by its credential and its passport, stays until it ends: 403, except for an operator. The announcement is accepted whatever others are about to do: overlaps say where they meet it. To keep others out, acquire a punchcard or claim the work. It is no evidence: an event says so, and no receipt is made.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(AnnounceReply),
    problems: [IntentOfAnother],
  })
  announceIntent(@Caller() caller: DaemonCaller, @Body() body: AnnounceRequest): Promise<AnnounceReply> {
    return this.intents.announce(caller, body);
  }
}
