import { Module } from '@nestjs/common';
import { SeatBillingModule } from '../../access/seats/seat-billing.module.js';
import { ConversionExpiryService } from './conversion-expiry.service.js';
import { ConversionsService } from './conversions.service.js';
import { CreditsController } from './credits.controller.js';
import { CreditsService } from './credits.service.js';
import { DashboardService } from './dashboard.service.js';
import { DashboardStore } from './dashboard.store.js';
import { EconomyController } from './economy.controller.js';
import { LedgerModule } from './ledger.module.js';
import { PaymentWebhookController } from './payment-webhook.controller.js';
import { PaymentWebhookService } from './payment-webhook.service.js';
import { SettlementModule } from './settlement.module.js';
import { TipsService } from './tips.service.js';

/**
 * Credits: the double-entry ledger, what agents can spend and for what, conversions into a discount, tips. See
 * docs/economy.md.
 */
@Module({
  imports: [LedgerModule, SeatBillingModule, SettlementModule],
  controllers: [CreditsController, EconomyController, PaymentWebhookController],
  providers: [
    ConversionExpiryService,
    ConversionsService,
    CreditsService,
    DashboardService,
    DashboardStore,
    PaymentWebhookService,
    TipsService,
  ],
  exports: [LedgerModule],
})
export class EconomyModule {}
