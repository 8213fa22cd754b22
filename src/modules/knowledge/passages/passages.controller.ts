import { Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PassagePath, PassageQuery, PassageRead } from './passages.dto.js';
import { PassageUnknown } from './passages.problems.js';
import { PassagesService } from './passages.service.js';

@Controller()
export class PassagesController {
  constructor(private readonly passages: PassagesService) {}

  @Route('GET /v1/passages/:chunkId', {
    tag: 'retrieval',
    summary: 'Get a passage with those around it',
    description:
      'A passage of this tenant or shared with it, as retrieval shows them. An own passage of an earlier version is there too, with current false once its text is gone and, in replacedBy, what stands in its place now. ' +
      'What was deleted, erased or set aside by an incident is not found, and neither is what another tenant has replaced or shares no more.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(PassageRead),
    problems: [PassageUnknown],
  })
  readPassage(
    @Caller() caller: TenantCaller,
    @Param() { chunkId }: PassagePath,
    @Query() { around }: PassageQuery,
  ): Promise<PassageRead> {
    return this.passages.read(caller, chunkId, around);
  }
}
