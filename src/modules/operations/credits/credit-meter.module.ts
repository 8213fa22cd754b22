import { Module } from '@nestjs/common';
import { LedgerModule } from '../../economy/ledger/ledger.module.js';
import { CreditMeter } from './credit-meter.service.js';

/** Credits for metered work of the daemon (SVCD_CREDIT_METER). */
@Module({ imports: [LedgerModule], providers: [CreditMeter], exports: [CreditMeter] })
export class CreditMeterModule {}
