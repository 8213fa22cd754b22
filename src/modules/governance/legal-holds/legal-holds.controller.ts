import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, created, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  LegalHoldDetails,
  LegalHoldList,
  LegalHoldPath,
  LegalHoldReply,
  LegalHoldsQuery,
  PlaceLegalHold,
} from './legal-holds.dto.js';
import { HoldNotReleasable, HoldTenantUnknown, LegalHoldUnknown } from './legal-holds.problems.js';
import { LegalHoldsService } from './legal-holds.service.js';

const tag = 'legal holds';
const flag = 'legalHold' as const;
const writes = anyOf('admin:write');
const reads = { access: anyOf('admin:read', 'admin:write'), extension: true } as const;

@Controller()
export class LegalHoldsController {
  constructor(private readonly holds: LegalHoldsService) {}

  @Route('POST /v1/legal-holds', {
    ...{ tag, flag, summary: 'Place a legal hold', access: writes, reply: created(LegalHoldReply) },
    description:
      'From here on nothing that the hold pins is deleted or overwritten, by whatever way: a deletion is answered 409 with the ids of the holds, and leaves a receipt (hold.refused_deletion). New versions are stored as before. Holds overlap; each is released by itself.',
    problems: [HoldTenantUnknown],
  })
  placeLegalHold(@Caller() caller: DaemonCaller, @Body() body: PlaceLegalHold): Promise<LegalHoldReply> {
    return this.holds.place(caller, body);
  }

  @Route('DELETE /v1/legal-holds/:id', {
    ...{ tag, flag, summary: 'Release a legal hold', access: writes, reply: ok(LegalHoldReply) },
    description: 'What another hold pins as well stays pinned. The hold itself is kept, with who released it and when.',
    problems: [LegalHoldUnknown, HoldNotReleasable],
  })
  releaseLegalHold(@Caller() caller: DaemonCaller, @Param() { id }: LegalHoldPath): Promise<LegalHoldReply> {
    return this.holds.release(caller, id);
  }

  @Route('GET /v1/legal-holds', {
    ...{ tag, flag, summary: 'List legal holds', reply: ok(LegalHoldList), ...reads },
  })
  listLegalHolds(@Caller() caller: DaemonCaller, @Query() query: LegalHoldsQuery): Promise<LegalHoldList> {
    return this.holds.list(caller, query);
  }

  @Route('GET /v1/legal-holds/:id', {
    ...{ tag, flag, summary: 'Read a legal hold, with what it pins', reply: ok(LegalHoldDetails), ...reads },
    problems: [LegalHoldUnknown],
  })
  readLegalHold(@Caller() caller: DaemonCaller, @Param() { id }: LegalHoldPath): Promise<LegalHoldDetails> {
    return this.holds.read(caller, id);
  }
}
