import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { CitationsModule } from '../citations/citations.module.js';
import { JournalModule } from '../../continuity/sessions/journal/journal.module.js';
import { EconomyModule } from '../../economy/ledger/economy.module.js';
import { ContentModule } from '../ingest/content.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { ProofEngineService } from './engine/proof-engine.service.js';
import { ProofJobsStore } from './engine/proof-jobs.store.js';
import { ProofReceiptsService } from './engine/proof-receipts.service.js';
import { ProofRunService } from './engine/proof-run.service.js';
import { ProofSubjectsService } from './engine/proof-subjects.service.js';
import { ProofSubjectsViews } from './engine/proof-subjects.views.js';
import { ProofWorker } from './engine/proof.worker.js';
import { SearchChecksService } from './engine/search-checks.service.js';
import { ProofChargesService } from './proof-charges.service.js';
import { PROOF_UPSTREAM, type ProofUpstream } from './proof-upstream.js';
import { ProofOrdersService } from './proof-orders.service.js';
import { ProofsController } from './proofs.controller.js';
import { HttpProofUpstream } from './upstream/http-proof-upstream.js';
import { UpstreamClaimsStore } from './upstream/upstream-claims.store.js';
import { UpstreamClient } from './upstream/upstream-client.js';

/**
 * Proofs of answers, documents, passages and retrievals: jobs in three modes, their receipts and offline proof packs.
 * One port answers the routes: the built-in engine, or another server when SVC_PROOF_UPSTREAM_URL names one (D20).
 */
@Module({
  imports: [CitationsModule, ContentModule, EconomyModule, JournalModule, RetrievalModule],
  controllers: [ProofsController],
  providers: [
    ProofChargesService,
    ProofEngineService,
    ProofJobsStore,
    ProofOrdersService,
    ProofReceiptsService,
    ProofRunService,
    ProofSubjectsService,
    ProofSubjectsViews,
    ProofWorker,
    SearchChecksService,
    UpstreamClaimsStore,
    {
      provide: PROOF_UPSTREAM,
      useFactory: choose,
      inject: [SETTINGS, ProofEngineService, UpstreamClaimsStore, ProofChargesService],
    },
  ],
  exports: [ProofOrdersService],
})
export class ProofsModule {}

function choose(
  { api }: Settings,
  engine: ProofEngineService,
  claims: UpstreamClaimsStore,
  charges: ProofChargesService,
): ProofUpstream {
  if (api.proofUpstreamUrl === undefined) return engine;
  const client = new UpstreamClient({
    url: api.proofUpstreamUrl,
    tenantId: api.proofUpstreamTenantId,
    apiKey: api.proofUpstreamApiKey,
    timeoutMs: api.proofUpstreamTimeoutMs,
  });
  return new HttpProofUpstream(client, claims, charges);
}
