import { Controller, Param, Query } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { KindUnknown } from './graph.problems.js';
import { KindAddress, KindList, KindReply } from './kinds.dto.js';
import { KindsService } from './kinds.service.js';

const tag = 'graph';

@Controller()
export class KindsController {
  constructor(private readonly kinds: KindsService) {}

  @Route('GET /v1/kinds', {
    tag,
    summary: 'List the kinds in use',
    description: 'By name. A kind is registered by its first use and stays.',
    access: anyOf('facts:read', 'admin:read'),
    reply: ok(KindList),
  })
  listKinds(@Caller() caller: DaemonCaller, @Query() query: PageQuery): Promise<KindList> {
    return this.kinds.list(caller, query);
  }

  @Route('GET /v1/kinds/:kind', {
    tag,
    summary: 'Read a kind',
    access: anyOf('facts:read', 'admin:read'),
    reply: ok(KindReply),
    problems: [KindUnknown],
  })
  readKind(@Caller() caller: DaemonCaller, @Param() address: KindAddress): Promise<KindReply> {
    return this.kinds.read(caller, address);
  }
}
