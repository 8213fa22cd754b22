import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Fence } from '../../../common/contract/fence.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LeaseEnded } from '../leases/leases.problems.js';
import { PunchcardChecksService } from './punchcard-checks.service.js';
import { PunchcardReleasesService } from './punchcard-releases.service.js';
import {
  AcquiredPunchcard,
  PathsCheck,
  PunchcardCheck,
  PunchcardList,
  PunchcardReply,
} from './punchcard-replies.dto.js';
import {
  AcquirePunchcard,
  CheckPaths,
  CheckPunchcard,
  ForceReleasePunchcard,
  PunchcardPath,
  PunchcardsQuery,
  ReleasePunchcard,
  RenewPunchcard,
} from './punchcards.dto.js';
import { PunchcardHeld, PunchcardLimit, PunchcardNotFound } from './punchcards.problems.js';
import { PunchcardsService } from './punchcards.service.js';

const COMMON = { tag: 'punchcards', flag: 'punchcard' } as const;
const reads = anyOf('facts:read', 'admin:read');
const writes = anyOf('facts:write', 'admin:write');
const HOLDERS =
  'A punchcard is its holder_passport’s: without holder_passport the caller’s own passport, which may also be the one that acquired it for another.';

@Controller()
export class PunchcardsController {
  constructor(
    private readonly punchcards: PunchcardsService,
    private readonly releases: PunchcardReleasesService,
    private readonly checks: PunchcardChecksService,
  ) {}

  @Route('GET /v1/punchcards', {
    ...COMMON,
    summary: 'List punchcards',
    description: 'Those that ended too, the newest first, page by page.',
    access: reads,
    reply: ok(PunchcardList),
  })
  listPunchcards(@Caller() caller: DaemonCaller, @Query() query: PunchcardsQuery): Promise<PunchcardList> {
    return this.checks.list(caller, query);
  }

  @Route('GET /v1/punchcards/:id', {
    ...COMMON,
    summary: 'Read a punchcard',
    access: reads,
    extension: true,
    reply: ok(PunchcardReply),
    problems: [PunchcardNotFound],
    tried: { from: { id: 'acquirePunchcard#/id' } },
  })
  readPunchcard(@Caller() caller: DaemonCaller, @Param() { id }: PunchcardPath): Promise<PunchcardReply> {
    return this.checks.read(caller, id);
  }

  @Route('POST /v1/punchcards/acquire', {
    ...COMMON,
    summary: 'Acquire a punchcard',
    description:
      'Two punchcards of different holders conflict when one of them writes and some path is part of both. With SVCD_PUNCHCARD=enforce the later one is refused (409), with advisory it is granted and the answer names what stands in the way. The same holder and resource again: the punchcard it has lasts longer, under the same fence, and `reentrant` is true; a mode `write` replaces `read`, never the other way.',
    access: writes,
    reply: ok(AcquiredPunchcard),
    problems: [PunchcardHeld, PunchcardLimit],
  })
  acquirePunchcard(@Caller() caller: DaemonCaller, @Body() body: AcquirePunchcard): Promise<AcquiredPunchcard> {
    return this.punchcards.acquire(caller, body);
  }

  @Route('POST /v1/punchcards/check', {
    ...COMMON,
    summary: 'Check who holds a resource',
    description:
      'Read `enforce` before treating `held_by_other` as blocking. Changes nothing, but as a POST it is write-class to route-auth.',
    access: reads,
    reply: ok(PunchcardCheck),
  })
  checkPunchcard(@Caller() caller: DaemonCaller, @Body() body: CheckPunchcard): Promise<PunchcardCheck> {
    return this.checks.check(caller, body);
  }

  @Route('POST /v1/punchcards/check-many', {
    ...COMMON,
    summary: 'Check who holds any of many paths',
    description:
      'As check, of the paths that a commit or a push touches; `svc hook` asks it. Changes nothing, but as a POST it is write-class to route-auth.',
    access: reads,
    extension: true,
    reply: ok(PathsCheck),
  })
  checkPaths(@Caller() caller: DaemonCaller, @Body() body: CheckPaths): Promise<PathsCheck> {
    return this.checks.checkPaths(caller, body);
  }

  @Route('POST /v1/punchcards/release', {
    ...COMMON,
    summary: 'Release a punchcard',
    description: `By id or by resource; where both are given they must be of the same punchcard. ${HOLDERS} Of another’s, or of one that has ended: 404.`,
    access: writes,
    fenced: true,
    reply: ok(PunchcardReply),
    problems: [PunchcardNotFound],
    tried: { after: ['renewPunchcard'] },
  })
  releasePunchcard(
    @Caller() caller: DaemonCaller,
    @Body() body: ReleasePunchcard,
    @Fence() fence?: number,
  ): Promise<PunchcardReply> {
    return this.releases.release(caller, body, fence);
  }

  @Route('POST /v1/punchcards/:id/renew', {
    ...COMMON,
    summary: 'Renew a punchcard',
    description: `It ends ttl_secs from now, or when it would have ended anyway where that is later; its fence stays. ${HOLDERS}`,
    access: writes,
    extension: true,
    fenced: true,
    reply: ok(PunchcardReply),
    problems: [PunchcardNotFound, LeaseEnded],
    tried: { from: { id: 'acquirePunchcard#/id' } },
  })
  renewPunchcard(
    @Caller() caller: DaemonCaller,
    @Param() { id }: PunchcardPath,
    @Body() body: RenewPunchcard,
    @Fence() fence?: number,
  ): Promise<PunchcardReply> {
    return this.releases.renew(caller, id, { ...body, fence });
  }

  @Route('POST /v1/punchcards/:id/force-release', {
    ...COMMON,
    summary: 'End a punchcard of another holder',
    description: 'Needs `confirm: true` and a reason. Receipt and event say who did it and why.',
    access: writes,
    reply: ok(PunchcardReply),
    problems: [PunchcardNotFound],
    tried: {
      body: { confirm: true, reason: 'Its holder is gone.' },
      from: { id: 'acquirePunchcard#/id' },
      after: ['releasePunchcard'],
    },
  })
  forceReleasePunchcard(
    @Caller() caller: DaemonCaller,
    @Param() { id }: PunchcardPath,
    @Body() body: ForceReleasePunchcard,
  ): Promise<PunchcardReply> {
    return this.releases.force(caller, id, body);
  }
}
