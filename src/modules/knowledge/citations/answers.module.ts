import { Module } from '@nestjs/common';
import { AnswersService } from './answers.service.js';
import { CitationsStore } from './citations.store.js';
import { PresentDocumentsViews } from './present-documents.views.js';
import { SourceStatesService } from './source-states.service.js';
import { SourceStatesViews } from './source-states.views.js';

const READING = [AnswersService, CitationsStore, PresentDocumentsViews, SourceStatesService];

/**
 * The reading side of citations: recorded answers, and whether what rests on passages still holds, for proofs, watches,
 * pins, replays and exports, also in processes that record none.
 */
@Module({ providers: [...READING, SourceStatesViews], exports: READING })
export class AnswersModule {}
