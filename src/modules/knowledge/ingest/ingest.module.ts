import { Module } from '@nestjs/common';
import { AcceptanceModule } from './acceptance.module.js';
import { DocumentsController } from './documents.controller.js';
import { DocumentsService } from './documents.service.js';
import { DocumentsStore } from './documents.store.js';
import { ExtractionPool } from './extraction/extraction.pool.js';
import { FileReadingService } from './files/file-reading.service.js';
import { IngestFilesController } from './files/ingest-files.controller.js';
import { IngestFilesService } from './files/ingest-files.service.js';
import { IngestFilesStore } from './files/ingest-files.store.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { IngestWorker } from './ingest.worker.js';

/**
 * Takes documents and files in: accepts them durably with a receipt, reads files and divides texts into passages in
 * worker threads, and puts each version into search in place of the one before, in one transaction.
 */
@Module({
  imports: [AcceptanceModule],
  controllers: [IngestController, IngestFilesController, DocumentsController],
  providers: [
    IngestService,
    IngestFilesService,
    IngestFilesStore,
    FileReadingService,
    ExtractionPool,
    IngestWorker,
    DocumentsService,
    DocumentsStore,
  ],
})
export class IngestModule {}
