import { Module } from '@nestjs/common';
import { EmbeddingsModule } from '../../../common/embeddings/embeddings.module.js';
import { ReceiptsModule } from '../../evidence/receipts/receipts.module.js';
import { FactsModule } from '../../memory/facts/facts.module.js';
import { ReplicationModule } from '../../memory/replication/replication.module.js';
import { ReadinessModule } from '../../operations/readiness/readiness.module.js';
import { SystemModule } from '../../operations/system/system.module.js';
import { ConsoleInfraService } from './console-infra.service.js';
import { ConsoleSummaryController } from './console-summary.controller.js';
import { ConsoleSummaryService } from './console-summary.service.js';
import { ConsoleSummaryStore } from './console-summary.store.js';

/**
 * What the console's overview reads: counts, newest facts, what waits, the daemon itself, first steps
 * (memory-daemon.md 4.11).
 */
@Module({
  imports: [EmbeddingsModule, FactsModule, ReadinessModule, ReceiptsModule, ReplicationModule, SystemModule],
  controllers: [ConsoleSummaryController],
  providers: [ConsoleInfraService, ConsoleSummaryService, ConsoleSummaryStore],
})
export class ConsoleSummaryModule {}
