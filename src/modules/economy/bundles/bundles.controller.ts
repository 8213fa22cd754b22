import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats, seatsOrDiscovery } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { CreditsExhausted } from '../ledger/economy.problems.js';
import {
  Bundle,
  BundlePage,
  BundlePath,
  BundleQuery,
  BundleRequest,
  BundleWithdrawn,
  Purchase,
  PurchaseRequest,
  WithdrawQuery,
} from './bundles.dto.js';
import { AlreadyEntitled, BundleUnknown, OwnBundle, PriceChanged } from './bundles.problems.js';
import { BundlesService } from './bundles.service.js';
import { PurchasesService } from './purchases.service.js';

const tag = 'bundles';
const publishers = seats('owner', 'admin');

@Controller()
export class BundlesController {
  constructor(
    private readonly bundles: BundlesService,
    private readonly purchases: PurchasesService,
  ) {}

  @Route('GET /v1/bundles', {
    tag,
    summary: 'List bundles for sale',
    description:
      'Of every tenant. Each bundle entitles a whole tenant to corpora of its publisher. entitled says whether the caller’s tenant has it already.',
    access: seatsOrDiscovery('owner', 'admin', 'member'),
    reply: ok(BundlePage),
  })
  listBundles(@Caller() caller: TenantCaller, @Query() query: BundleQuery): Promise<BundlePage> {
    return this.bundles.list(caller, query);
  }

  @Route('POST /v1/bundles/purchase', {
    tag,
    summary: 'Buy a bundle',
    description:
      'Moves the price from the agent to the publisher and entitles the tenant to every corpus of the bundle, together: the next retrieval with includeCommons finds their entitled_only documents. ' +
      'Spending more than 100 credits asks the shield for an approval, unless the policy of the tenant says otherwise. ' +
      'Send expectedPrice to be safe from a price that changes meanwhile. 409 AlreadyEntitled for what the tenant has, 409 OwnBundle for what it publishes, 429 CreditsExhausted without the credits.',
    access: seats('owner', 'admin', 'member'),
    reply: created(Purchase),
    problems: [BundleUnknown, OwnBundle, AlreadyEntitled, PriceChanged, CreditsExhausted],
    tried: { from: { 'body/bundleId': 'publishBundle#/bundleId' } },
  })
  buyBundle(@Caller() caller: TenantCaller, @Body() request: PurchaseRequest): Promise<Purchase> {
    return this.purchases.buy(caller, request);
  }

  @Route('POST /v1/bundles', {
    tag,
    summary: 'Publish a bundle',
    description:
      'Offers corpora for sale. Every tenant sees the bundle from then on. What is sold are the entitled_only documents of the corpora; owner_only documents stay private. Sales go to the tenant’s earnings, which all of its agents can spend.',
    access: publishers,
    reply: created(Bundle),
  })
  publishBundle(@Caller() caller: TenantCaller, @Body() request: BundleRequest): Promise<Bundle> {
    return this.bundles.publish(caller, request);
  }

  @Route('PUT /v1/bundles/:bundleId', {
    tag,
    summary: 'Update a bundle',
    description:
      'Title, description, corpora and price are replaced for those who buy later. A tenant that bought it keeps the corpora it had then.',
    access: publishers,
    reply: ok(Bundle),
    problems: [BundleUnknown],
  })
  changeBundle(
    @Caller() caller: TenantCaller,
    @Param() { bundleId }: BundlePath,
    @Body() request: BundleRequest,
  ): Promise<Bundle> {
    return this.bundles.change(caller, bundleId, request);
  }

  @Route('DELETE /v1/bundles/:bundleId', {
    tag,
    summary: 'Withdraw a bundle',
    description: 'It can no longer be bought or found. Tenants that bought it stay entitled.',
    access: publishers,
    reply: ok(BundleWithdrawn),
    problems: [BundleUnknown],
  })
  withdrawBundle(
    @Caller() caller: TenantCaller,
    @Param() { bundleId }: BundlePath,
    @Query() { reason }: WithdrawQuery,
  ): Promise<BundleWithdrawn> {
    return this.bundles.withdraw(caller, bundleId, reason);
  }
}
