import { Module } from '@nestjs/common';
import { FactImportsService } from './fact-imports.service.js';
import { FactMatchesStore } from './fact-matches.store.js';
import { FactReceipts } from './fact-receipts.js';
import { FactWritesStore } from './fact-writes.store.js';
import { OwnedFactsService } from './owned-facts.service.js';
import { OwnedFactsStore } from './owned-facts.store.js';

/** Writes facts in the unit of work of others: no routes, no search. */
@Module({
  providers: [FactImportsService, FactMatchesStore, FactReceipts, FactWritesStore, OwnedFactsService, OwnedFactsStore],
  exports: [FactImportsService, FactReceipts, FactWritesStore, OwnedFactsService],
})
export class FactImportsModule {}
