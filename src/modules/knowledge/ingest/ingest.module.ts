import { Module } from '@nestjs/common';
import { AcceptanceModule } from './acceptance.module.js';
import { DocumentsController } from './documents.controller.js';
import { DocumentsService } from './documents.service.js';
import { DocumentsStore } from './documents.store.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { IngestWorker } from './ingest.worker.js';

/**
 * Takes documents in: accepts them durably with a receipt, divides them into passages in worker threads, and puts
 * each version into search in place of the one before, in one transaction.
 */
@Module({
  imports: [AcceptanceModule],
  controllers: [IngestController, DocumentsController],
  providers: [IngestService, IngestWorker, DocumentsService, DocumentsStore],
})
export class IngestModule {}
