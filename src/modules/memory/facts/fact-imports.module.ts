import { Module } from '@nestjs/common';
import { FactImportsService } from './fact-imports.service.js';
import { AnswersModule } from '../../knowledge/citations/answers.module.js';
import { FactMatchesStore } from './fact-matches.store.js';
import { FactReceipts } from './fact-receipts.js';
import { FactSources } from './fact-sources.js';
import { FactSourcesStore } from './fact-sources.store.js';
import { FactWritesStore } from './fact-writes.store.js';
import { OwnedFactsService } from './owned-facts.service.js';
import { OwnedFactsStore } from './owned-facts.store.js';

/** Writes facts in the unit of work of others: no routes, no search. */
@Module({
  imports: [AnswersModule],
  providers: [
    ...[FactImportsService, FactMatchesStore, FactReceipts, FactWritesStore, OwnedFactsService, OwnedFactsStore],
    ...[FactSources, FactSourcesStore],
  ],
  exports: [FactImportsService, FactReceipts, FactWritesStore, OwnedFactsService, FactSources],
})
export class FactImportsModule {}
