import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { FactsModule } from '../facts/facts.module.js';
import { MemoryVectorsModule } from '../vectors/memory-vectors.module.js';
import { CandidateExpiry } from './candidate-expiry.js';
import { CandidateMatchesStore } from './candidate-matches.store.js';
import { CandidateSearchService } from './candidate-search.service.js';
import { CandidateStandingsService } from './candidate-standings.service.js';
import { CandidatesController } from './candidates.controller.js';
import { CandidatesService } from './candidates.service.js';
import { ConsolidationService } from './consolidation.service.js';
import { CandidateDecisionsService } from './candidate-decisions.service.js';
import { ChatClient } from './extraction/chat-client.js';
import { ExtractorService } from './extraction/extractor.service.js';
import { ExtractionsService } from './extractions.service.js';
import { PromotionsService } from './promotions.service.js';

/**
 * Candidates of memory (memory-daemon.md 4.6; D42): found in texts with their exact quotes, screened for credentials,
 * compared with what is there, and made facts only by a decision.
 */
@Module({
  imports: [FactsModule, MemoryVectorsModule, ScreeningModule],
  controllers: [CandidatesController],
  providers: [
    CandidateExpiry,
    CandidateMatchesStore,
    CandidateSearchService,
    CandidateStandingsService,
    CandidatesService,
    ChatClient,
    ConsolidationService,
    CandidateDecisionsService,
    ExtractionsService,
    ExtractorService,
    PromotionsService,
  ],
})
export class CandidatesModule {}
