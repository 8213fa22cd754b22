import { Module } from '@nestjs/common';
import { ConversionsStore } from './conversions.store.js';
import { LedgerStore } from './ledger.store.js';
import { SettlementService } from './settlement.service.js';

/** Final states of conversions: what the API and the command line do alike. */
@Module({
  providers: [ConversionsStore, LedgerStore, SettlementService],
  exports: [ConversionsStore, SettlementService],
})
export class SettlementModule {}
