import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { CreditsExhausted } from '../../economy/ledger/economy.problems.js';
import { SpendCredits, SpentCredits } from './spending.dto.js';
import { SpendingKnown } from './spending.problems.js';
import { SpendingService } from './spending.service.js';

@Controller()
export class SpendingController {
  constructor(private readonly spending: SpendingService) {}

  @Route('POST /v1/credits/spend', {
    tag: 'credits',
    flag: 'creditMeter',
    summary: 'Spend credits of an agent',
    description:
      'Books them in the ledger of the tenant API: first what is the agent’s own, then the allowance of the month, then what the tenant earned; never below zero. The same reference with the same content answers what was answered first.',
    access: anyOf('admin:write'),
    reply: ok(SpentCredits),
    problems: [CreditsExhausted, SpendingKnown],
  })
  spendCredits(@Caller() caller: DaemonCaller, @Body() body: SpendCredits): Promise<SpentCredits> {
    return this.spending.spend(caller, body);
  }
}
