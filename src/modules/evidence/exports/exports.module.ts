import { Module } from '@nestjs/common';
import { AnswersModule } from '../../knowledge/citations/answers.module.js';
import { ContentModule } from '../../knowledge/ingest/content.module.js';
import { FactsModule } from '../../memory/facts/facts.module.js';
import { StreamsModule } from '../../memory/streams/streams.module.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';
import { SubjectsService } from './subjects.service.js';
import { SubjectsViews } from './subjects.views.js';

/**
 * Portable evidence: what the database holds of a receipt, an answer, an action, a stream or an entity, in one signed
 * file that verifies offline, whole or with fields withheld. docs/formats/export.md.
 */
@Module({
  imports: [AnswersModule, ContentModule, FactsModule, StreamsModule],
  controllers: [ExportsController],
  providers: [ExportsService, SubjectsService, SubjectsViews],
  exports: [ExportsService, SubjectsService],
})
export class ExportsModule {}
