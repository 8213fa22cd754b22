import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { KillSwitchLifted, KillSwitchOnCaller, KillSwitchUnknown } from '../shield.problems.js';
import {
  KillSwitchChanged,
  KillSwitchList,
  KillSwitchListQuery,
  KillSwitchPath,
  KillSwitchRequest,
  LiftQuery,
} from './kill-switches.dto.js';
import { KillSwitchesService } from './kill-switches.service.js';

@Controller()
export class KillSwitchesController {
  constructor(private readonly switches: KillSwitchesService) {}

  @Route('GET /v1/shield/kill-switches', {
    tag: 'shield',
    summary: 'List kill switches',
    description: 'Those that were lifted or have expired are included.',
    access: seats('owner'),
    reply: ok(KillSwitchList),
  })
  listKillSwitches(@Caller() caller: TenantCaller, @Query() query: KillSwitchListQuery): Promise<KillSwitchList> {
    return this.switches.list(caller, query);
  }

  @Route('POST /v1/shield/kill-switches', {
    tag: 'shield',
    summary: 'Set a kill switch',
    description:
      'Stops calls, or admits each only with an approval. Acts in every process from the moment this answers. It is how a tenant marks actions: {"scope": "action", "target": "POST /v1/ingest", "mode": "require_approval"} makes every such call need the approval of another owner. /v1/shield/* and /frontdoor/* stay open, so that a switch can always be lifted. Refused with 400 when the target names nothing that can be stopped. Raises the policy version, which voids approvals that are pending or not used yet.',
    access: seats('owner'),
    reply: created(KillSwitchChanged),
  })
  setKillSwitch(@Caller() caller: TenantCaller, @Body() request: KillSwitchRequest): Promise<KillSwitchChanged> {
    return this.switches.set(caller, request);
  }

  @Route('DELETE /v1/shield/kill-switches/:killSwitchId', {
    tag: 'shield',
    summary: 'Lift a kill switch',
    description:
      'It stays listed with who lifted it, when and why. Refused with 409 when it was lifted before, and with 403 to the principal that it names: another owner lifts that.',
    access: seats('owner'),
    reply: ok(KillSwitchChanged),
    problems: [KillSwitchUnknown, KillSwitchOnCaller, KillSwitchLifted],
  })
  liftKillSwitch(
    @Caller() caller: TenantCaller,
    @Param() { killSwitchId }: KillSwitchPath,
    @Query() { reason }: LiftQuery,
  ): Promise<KillSwitchChanged> {
    return this.switches.lift(caller, killSwitchId, reason);
  }
}
