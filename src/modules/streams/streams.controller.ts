import { Body, Controller } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { ok } from '../../common/contract/contract.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { Deadline } from '../../daemon/ingress/deadline.js';
import { AppendService } from './append.service.js';
import { AppendEvent, AppendReply, AppendRequest } from './streams.dto.js';
import { EventIdTaken, NextSeqMismatch, PlatformUpgradeRequired } from './streams.problems.js';

const MOST_BYTES = 64 * 1024 * 1024;

@Controller()
@ApiExtraModels(AppendEvent)
export class StreamsController {
  constructor(private readonly appends: AppendService) {}

  @DaemonRoute('POST /v1/append', {
    tag: 'streams',
    summary: 'Append events to a stream, all or none',
    description:
      'Seqs count from 0 without gaps. With expected_next_seq exactly one of several writers succeeds; the others get 409 NextSeqMismatch with actual_next_seq beside the expected_next_seq they sent, read what came in between and try again. Give events an event_id to make a repeat after a lost answer safe: what is there already is not appended again, and a call of which all is there succeeds whatever it expected. Each append is receipted (stream.appended) in a chain of receipts that the stream has to itself. At most 64 MiB a request; what is answered 408 was not appended.',
    scopes: anyOf('admin:write'),
    reply: ok(AppendReply),
    problems: [NextSeqMismatch, EventIdTaken],
    bodyLimit: MOST_BYTES,
  })
  append(
    @Acting() caller: DaemonCaller,
    @Body() body: AppendRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<AppendReply> {
    return this.appends.append(caller, body, deadline);
  }

  @DaemonRoute('POST /v1/admin/append', {
    tag: 'streams',
    summary: 'Always the answer that the platform must be upgraded',
    description:
      'Every valid request gets the same 501 PlatformUpgradeRequired, and nothing is appended: this platform has one way to append, POST /v1/append with the same body. A request that is not valid gets 400. It never answers 200.',
    scopes: anyOf('admin:write'),
    reply: ok(AppendReply),
    problems: [PlatformUpgradeRequired],
    bodyLimit: MOST_BYTES,
  })
  appendAsAdmin(@Body() body: AppendRequest): Promise<AppendReply> {
    return this.appends.refuseUntilUpgraded(body);
  }
}
