import { DateTime, Flag, Integer, ListOf, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantMember } from '../../../common/fields/shared-members.js';

const MAX_ID_LENGTH = 512;
const MAX_PRICE = 1_000_000_000;

export class BundlePath {
  @Uuid({ about: 'The bundle.' })
  bundleId!: string;
}

export class BundleRequest {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'What it is called in the catalogue.', min: 1, max: 200, example: 'Employment law, annotated' })
  title!: string;

  @Text({ about: 'What a buyer gets.', min: 1, max: 4000 })
  description!: string;

  @TextList({
    about:
      "The tenant's own corpora that a buyer is entitled to: those of their documents that are entitled_only are found by its retrieval, also those that come later. Each once.",
    max: MAX_ID_LENGTH,
    minItems: 1,
    maxItems: 100,
  })
  corpora!: string[];

  @Integer({ about: 'What it costs, in credits. 0 gives it away.', min: 0, max: MAX_PRICE, example: 250 })
  priceCredits!: number;
}

export class Bundle {
  @Uuid({ about: 'The bundle.' })
  bundleId!: string;

  @Text({ about: 'The tenant that publishes it.' })
  publisher!: string;

  @Text({ about: 'What it is called.' })
  title!: string;

  @Text({ about: 'What a buyer gets.' })
  description!: string;

  @TextList({ about: 'Corpora of the publisher that a buyer is entitled to.' })
  corpora!: string[];

  @Integer({ about: 'What it costs now, in credits.', min: 0 })
  priceCredits!: number;

  @Integer({ about: 'Documents a buyer would find now.', min: 0 })
  documents!: number;

  @Flag({ about: "Whether the caller's tenant may find all of it already: it bought the bundle, or publishes it." })
  entitled!: boolean;

  @DateTime({ about: 'When it was first offered.' })
  publishedAt!: string;

  @DateTime({ about: 'When it was last changed.' })
  updatedAt!: string;
}

export class BundlePage {
  @ListOf({ about: 'Bundles on offer, oldest first.', type: () => Bundle })
  bundles!: Bundle[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class BundleQuery extends PageQuery {
  @Text({
    about: 'Only bundles that have these words in title or description, in a row and in any case.',
    optional: true,
    min: 1,
    max: 200,
  })
  q?: string;

  @Text({ about: 'Only bundles of this tenant.', optional: true, min: 1, max: 120 })
  publisher?: string;

  @Text({ about: 'Only bundles with a corpus of this name.', optional: true, min: 1, max: MAX_ID_LENGTH })
  corpus?: string;

  @Flag({ about: "true: only what the caller's tenant is entitled to. false: only the rest.", optional: true })
  entitled?: boolean;
}

export class WithdrawQuery {
  @Text({ about: 'Why, kept with the bundle.', optional: true, min: 1, max: 500 })
  reason?: string;
}

export class BundleWithdrawn {
  @Uuid({ about: 'The bundle, no longer for sale.' })
  bundleId!: string;

  @Integer({ about: 'Tenants that bought it and stay entitled.', min: 0 })
  sold!: number;
}

export class PurchaseRequest {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'The agent that pays.', min: 1, max: MAX_ID_LENGTH, default: 'default-agent' })
  agentId!: string;

  @Uuid({ about: 'The bundle.' })
  bundleId!: string;

  @Integer({
    about: 'The price the buyer saw. Sent, a bundle that has another price meanwhile is refused with 409 PriceChanged.',
    optional: true,
    min: 0,
    max: MAX_PRICE,
  })
  expectedPrice?: number;
}

export class Purchase {
  @Uuid({ about: 'The purchase.' })
  purchaseId!: string;

  @Uuid({ about: 'The bundle.' })
  bundleId!: string;

  @Text({ about: 'The tenant that publishes it, and was paid.' })
  publisher!: string;

  @Text({ about: 'The agent that paid.' })
  agentId!: string;

  @Integer({ about: 'What it paid, in credits.', min: 0 })
  priceCredits!: number;

  @TextList({ about: 'Corpora that the whole tenant is entitled to from now on.' })
  corpora!: string[];

  @Integer({ about: 'Documents it finds by them now.', min: 0 })
  documents!: number;

  @Integer({ about: 'Credits the agent can spend afterwards.', min: 0 })
  balanceAfter!: number;

  @DateTime({ about: 'When it was bought.' })
  purchasedAt!: string;

  @Uuid({ about: 'The signed receipt.' })
  receiptId!: string;
}
