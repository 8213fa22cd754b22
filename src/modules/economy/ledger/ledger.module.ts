import { Module } from '@nestjs/common';
import { ChargesService } from './charges.service.js';
import { LedgerService } from './ledger.service.js';
import { LedgerStore } from './ledger.store.js';

/** The one ledger of credits, for every app that spends them. See docs/economy.md. */
@Module({
  providers: [LedgerStore, LedgerService, ChargesService],
  exports: [LedgerStore, LedgerService, ChargesService],
})
export class LedgerModule {}
