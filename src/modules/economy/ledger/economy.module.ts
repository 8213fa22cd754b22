import { Module } from '@nestjs/common';
import { SeatBillingModule } from '../../access/seats/seat-billing.module.js';
import { ChargesService } from './charges.service.js';
import { ConversionExpiryService } from './conversion-expiry.service.js';
import { ConversionsService } from './conversions.service.js';
import { CreditsController } from './credits.controller.js';
import { CreditsService } from './credits.service.js';
import { DashboardService } from './dashboard.service.js';
import { DashboardStore } from './dashboard.store.js';
import { EconomyController } from './economy.controller.js';
import { LedgerService } from './ledger.service.js';
import { PaymentWebhookController } from './payment-webhook.controller.js';
import { PaymentWebhookService } from './payment-webhook.service.js';
import { SettlementModule } from './settlement.module.js';
import { TipsService } from './tips.service.js';

/**
 * Credits: the double-entry ledger, what agents can spend and for what, conversions into a discount, tips. See
 * docs/economy.md.
 */
@Module({
  imports: [SeatBillingModule, SettlementModule],
  controllers: [CreditsController, EconomyController, PaymentWebhookController],
  providers: [
    ChargesService,
    ConversionExpiryService,
    ConversionsService,
    CreditsService,
    DashboardService,
    DashboardStore,
    LedgerService,
    PaymentWebhookService,
    TipsService,
  ],
  exports: [ChargesService, LedgerService],
})
export class EconomyModule {}
