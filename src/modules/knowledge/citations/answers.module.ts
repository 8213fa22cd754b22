import { Module } from '@nestjs/common';
import { AnswersService } from './answers.service.js';
import { CitationsStore } from './citations.store.js';
import { PresentDocumentsViews } from './present-documents.views.js';

const READING = [AnswersService, CitationsStore, PresentDocumentsViews];

/**
 * The reading side of citations: recorded answers for proofs, watches and replays, also in processes that record none.
 */
@Module({ providers: READING, exports: READING })
export class AnswersModule {}
