import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  AskForPassport,
  DecideMintRequest,
  MintedPassport,
  MintRequestList,
  MintRequestPath,
  MintRequestQuery,
  MintRequestReply,
} from './mint-requests.dto.js';
import { MintRequestsService } from './mint-requests.service.js';
import { MayNotMint, MintRequestDecided, MintRequestUnknown, PassportKnown } from './passports.problems.js';

const tag = 'passports';
const flag = 'mintRequests' as const;
const extension = true;
const reads = anyOf('admin:read', 'facts:read', 'query:read', 'sessions:read');
const decides = anyOf('admin:write');
const DECIDES = 'Who asked never decides, by whatever name or credential.';

@Controller()
export class MintRequestsController {
  constructor(private readonly requests: MintRequestsService) {}

  @Route('POST /v1/passport/mint-requests', {
    ...{ tag, flag, extension, summary: 'Ask for a passport' },
    description: 'Somebody else decides; until then it is registered nowhere.',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(MintRequestReply),
    problems: [PassportKnown],
    tried: { body: { passport_id: 'codex:8' } },
  })
  askForPassport(@Caller() caller: DaemonCaller, @Body() body: AskForPassport): Promise<MintRequestReply> {
    return this.requests.ask(caller, body);
  }

  @Route('GET /v1/passport/mint-requests', {
    ...{ tag, flag, extension, summary: 'List requests for passports' },
    access: reads,
    reply: ok(MintRequestList),
  })
  listMintRequests(@Caller() caller: DaemonCaller, @Query() query: MintRequestQuery): Promise<MintRequestList> {
    return this.requests.list(caller, query);
  }

  @Route('GET /v1/passport/mint-requests/:id', {
    ...{ tag, flag, extension, summary: 'Read a request for a passport' },
    access: reads,
    reply: ok(MintRequestReply),
    problems: [MintRequestUnknown],
  })
  readMintRequest(@Caller() caller: DaemonCaller, @Param() { id }: MintRequestPath): Promise<MintRequestReply> {
    return this.requests.read(caller, id);
  }

  @Route('POST /v1/passport/mint-requests/:id/approve', {
    ...{ tag, flag, extension, summary: 'Approve a request for a passport' },
    description: `The passport is registered at once. ${DECIDES}`,
    access: decides,
    reply: ok(MintedPassport),
    problems: [MintRequestUnknown, MayNotMint, MintRequestDecided, PassportKnown],
    tried: { body: { approver_passport: 'ada' } },
  })
  approveMintRequest(
    @Caller() caller: DaemonCaller,
    @Param() { id }: MintRequestPath,
    @Body() body: DecideMintRequest,
  ): Promise<MintedPassport> {
    return this.requests.approve(caller, id, body);
  }

  @Route('POST /v1/passport/mint-requests/:id/reject', {
    ...{ tag, flag, extension, summary: 'Reject a request for a passport' },
    description: DECIDES,
    access: decides,
    reply: ok(MintRequestReply),
    problems: [MintRequestUnknown, MayNotMint, MintRequestDecided],
  })
  rejectMintRequest(
    @Caller() caller: DaemonCaller,
    @Param() { id }: MintRequestPath,
    @Body() body: DecideMintRequest,
  ): Promise<MintRequestReply> {
    return this.requests.reject(caller, id, body);
  }
}
