import { Module } from '@nestjs/common';
import { CreditMeterModule } from './credit-meter.module.js';
import { SpendingController } from './spending.controller.js';
import { SpendingService } from './spending.service.js';

/**
 * POST /v1/credits/spend: credits of the tenant API's ledger, spent by the daemon (memory-daemon.md 4.11; D71). See
 * docs/economy.md.
 */
@Module({ imports: [CreditMeterModule], controllers: [SpendingController], providers: [SpendingService] })
export class SpendingModule {}
