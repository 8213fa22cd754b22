import { Body, Controller } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { MANY_JSON_MEMBERS } from '../../../common/http/json-body.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { AppendService } from './append.service.js';
import { AppendReply, AppendRequest } from './streams.dto.js';
import { EventIdTaken, NextSeqMismatch, PlatformUpgradeRequired } from './streams.problems.js';

const MAX_BYTES = 64 * 1024 * 1024;

@Controller()
export class StreamsController {
  constructor(private readonly appends: AppendService) {}

  @Route('POST /v1/append', {
    tag: 'streams',
    summary: 'Append events to a stream, all or none',
    description:
      'Seqs count from 0 without gaps. With expected_next_seq exactly one of several writers succeeds; the others get 409 NextSeqMismatch with actual_next_seq and the expected_next_seq they sent; they read what was appended in between and try again. Give events an event_id to make a repeat after a lost answer safe: what is there already is not appended again, and a call of which all is there succeeds whatever it expected. Each append is receipted (stream.appended) in a chain of receipts that the stream has to itself. At most 64 MiB a request; what is answered 408 was not appended.',
    access: anyOf('admin:write'),
    reply: ok(AppendReply),
    problems: [NextSeqMismatch, EventIdTaken],
    bodyLimit: MAX_BYTES,
    memberLimit: MANY_JSON_MEMBERS,
  })
  appendEvents(
    @Caller() caller: DaemonCaller,
    @Body() body: AppendRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<AppendReply> {
    return this.appends.append(caller, body, deadline);
  }

  @Route('POST /v1/admin/append', {
    tag: 'streams',
    summary: 'Refuse an append with 501 PlatformUpgradeRequired',
    description:
      'Every valid request gets the same 501 PlatformUpgradeRequired, and nothing is appended: this platform has one way to append, POST /v1/append with the same body. A request that is not valid gets 400. It never answers 200.',
    access: anyOf('admin:write'),
    reply: ok(AppendReply),
    problems: [PlatformUpgradeRequired],
    bodyLimit: MAX_BYTES,
    memberLimit: MANY_JSON_MEMBERS,
  })
  appendAdminEvents(@Body() body: AppendRequest): Promise<AppendReply> {
    return this.appends.refuseUntilUpgraded(body);
  }
}
