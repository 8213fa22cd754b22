import { Module } from '@nestjs/common';
import { ShardMap } from '../../../common/routing/shard-map.js';
import { AnswersModule } from '../../knowledge/citations/answers.module.js';
import { ContentModule } from '../../knowledge/ingest/content.module.js';
import { SearchModule } from '../../knowledge/retrieval/search.module.js';
import { RecordedAnswersService } from './recorded-answers.service.js';
import { ReplayController } from './replay.controller.js';
import { ReplayService } from './replay.service.js';
import { ValidityService } from './validity.service.js';

/**
 * Answers that were recorded through the tenant API, replayed from their records and held against what there is now
 * (memory-daemon.md 4.8).
 */
@Module({
  imports: [AnswersModule, ContentModule, SearchModule],
  controllers: [ReplayController],
  providers: [RecordedAnswersService, ReplayService, ShardMap, ValidityService],
})
export class ReplayModule {}
