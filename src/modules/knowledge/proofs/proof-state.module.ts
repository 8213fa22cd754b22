import { Module } from '@nestjs/common';
import { PresentDocumentsViews } from '../citations/present-documents.views.js';
import { ProofStateService } from './proof-state.service.js';
import { ProofStateViews } from './proof-state.views.js';

/** What the tools process needs of proofs: the state that a call without a key rests on. No routes and no workers. */
@Module({
  providers: [PresentDocumentsViews, ProofStateService, ProofStateViews],
  exports: [ProofStateService],
})
export class ProofStateModule {}
