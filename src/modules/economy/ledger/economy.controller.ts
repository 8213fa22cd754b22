import { Body, Controller } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { EXPIRES_AFTER_DAYS } from './conversion.rules.js';
import { ConversionsService } from './conversions.service.js';
import { Conversion, ConversionPreview, ConversionRequest, Tip, TipRequest } from './economy.dto.js';
import { ConversionCapReached, CreditsExhausted, NoSubscription } from './economy.problems.js';
import { TipsService } from './tips.service.js';

const SHARED = { tag: 'economy', access: seats('owner', 'admin', 'member') };
const SPENDING =
  'Spending more than 100 credits asks the shield for an approval, unless the policy of the tenant says otherwise.';
const NEEDS_SECRET = '412 FeatureDisabled on a server without a payment webhook secret: nobody could settle it.';

@Controller()
export class EconomyController {
  constructor(
    private readonly conversions: ConversionsService,
    private readonly tips: TipsService,
  ) {}

  @Route('POST /v1/economy/convert/preview', {
    ...SHARED,
    summary: 'Preview a conversion of credits',
    description:
      'Works out exactly what POST /v1/economy/convert would do with the same body at this moment, and does nothing: accepted says whether it would go through, refusal why not. Of the shield it says nothing: more than 100 credits ask for an approval all the same. No idempotency key is needed. ' +
      NEEDS_SECRET,
    flag: 'payments',
    reply: ok(ConversionPreview),
    idempotent: false,
  })
  previewConversion(@Caller() caller: TenantCaller, @Body() request: ConversionRequest): Promise<ConversionPreview> {
    return this.conversions.preview(caller, request);
  }

  @Route('POST /v1/economy/convert', {
    ...SHARED,
    summary: 'Convert credits into a subscription discount',
    description:
      '100 credits are 1.00 GBP, at most half of the monthly price of the tier (starter 29, pro 99, team 299 GBP) a UTC month over all agents of the tenant; conversions in progress and applied count. ' +
      `The credits are held in escrow until the payment provider reports the discount applied or failed; a conversion that nobody has settled by expiresAt, after ${EXPIRES_AFTER_DAYS} days, fails and the credits are released. ${SPENDING} ${NEEDS_SECRET} ` +
      '409 NoSubscription on the free tier; 409 ConversionCapReached past the cap; 429 CreditsExhausted when there are not enough credits.',
    flag: 'payments',
    reply: created(Conversion),
    problems: [NoSubscription, ConversionCapReached, CreditsExhausted],
    tried: { body: { credits: 100 } },
  })
  convertCredits(@Caller() caller: TenantCaller, @Body() request: ConversionRequest): Promise<Conversion> {
    return this.conversions.convert(caller, request);
  }

  @Route('POST /v1/economy/tip-platform', {
    ...SHARED,
    summary: 'Tip the platform',
    description: `Gives credits to the platform, for what was worth more than its price. A tip is not returned. Who runs the server reads the message; no other tenant does. ${SPENDING} 429 CreditsExhausted when there are not enough credits.`,
    reply: created(Tip),
    problems: [CreditsExhausted],
  })
  tipPlatform(@Caller() caller: TenantCaller, @Body() request: TipRequest): Promise<Tip> {
    return this.tips.give(caller, request);
  }
}
