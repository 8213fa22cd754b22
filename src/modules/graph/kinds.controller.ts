import { Controller, Param, Query } from '@nestjs/common';
import { ok } from '../../common/contract/contract.js';
import { PageQuery } from '../../common/fields/page.dto.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { KindUnknown } from './graph.problems.js';
import { KindAddress, KindList, KindReply } from './kinds.dto.js';
import { KindsService } from './kinds.service.js';

const tag = 'graph';

@Controller()
export class KindsController {
  constructor(private readonly kinds: KindsService) {}

  @DaemonRoute('GET /v1/kinds', {
    tag,
    summary: 'List the kinds that are in use',
    description: 'By name. A kind is registered by its first use and stays.',
    scopes: anyOf('facts:read', 'admin:read'),
    reply: ok(KindList),
  })
  listKinds(@Acting() caller: DaemonCaller, @Query() query: PageQuery): Promise<KindList> {
    return this.kinds.list(caller, query);
  }

  @DaemonRoute('GET /v1/kinds/:kind', {
    tag,
    summary: 'What is known of a kind',
    scopes: anyOf('facts:read', 'admin:read'),
    reply: ok(KindReply),
    problems: [KindUnknown],
  })
  readKind(@Acting() caller: DaemonCaller, @Param() address: KindAddress): Promise<KindReply> {
    return this.kinds.read(caller, address);
  }
}
