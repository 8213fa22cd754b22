import { AnswerRecordingsModule } from '../modules/knowledge/answers/answer-recordings.module.js';
import { CitationsModule } from '../modules/knowledge/citations/citations.module.js';
import { PublicLogModule } from '../modules/knowledge/public-log/public-log.module.js';
import { IngestModule } from '../modules/knowledge/ingest/ingest.module.js';
import { PassagesModule } from '../modules/knowledge/passages/passages.module.js';
import { ProofsModule } from '../modules/knowledge/proofs/proofs.module.js';
import { API_OPERATIONS } from '../common/health/api-operations.js';
import { OperationsModule } from '../common/health/operations.module.js';
import { RetrievalModule } from '../modules/knowledge/retrieval/retrieval.module.js';
import { AgentsModule } from '../modules/access/agents/agents.module.js';
import { BundlesModule } from '../modules/economy/bundles/bundles.module.js';
import { ContinuityModule } from '../modules/continuity/sessions/continuity.module.js';
import { EconomyModule } from '../modules/economy/ledger/economy.module.js';
import { FeedbackModule } from '../modules/continuity/feedback/feedback.module.js';
import { FrontdoorModule } from '../modules/access/frontdoor/frontdoor.module.js';
import { OutboxModule } from '../modules/events/outbox/outbox.module.js';
import { MemoryEmbeddingModule } from '../modules/memory/vectors/memory-embedding.module.js';
import { ScanRunnerModule } from '../modules/projects/workspace-scan/scan-runner.module.js';
import { ScimModule } from '../modules/access/scim/scim.module.js';
import { SeatsModule } from '../modules/access/seats/seats.module.js';
import { ShieldModule } from '../modules/shield/core/shield.module.js';
import { TenantSettingsModule } from '../modules/access/tenant-settings/tenant-settings.module.js';
import { TenantSweepModule } from '../modules/access/tenants/tenant-sweep.module.js';
import { WatchesModule } from '../modules/continuity/watches/watches.module.js';

/** The modules of the tenant API. */
export const API_MODULES = [
  OperationsModule.of(API_OPERATIONS),
  FrontdoorModule,
  SeatsModule,
  ScimModule,
  TenantSettingsModule,
  TenantSweepModule,
  AgentsModule,
  IngestModule,
  RetrievalModule,
  CitationsModule,
  PassagesModule,
  ProofsModule,
  AnswerRecordingsModule,
  PublicLogModule,
  EconomyModule,
  BundlesModule,
  ContinuityModule,
  FeedbackModule,
  WatchesModule,
  ShieldModule,
  OutboxModule,
  MemoryEmbeddingModule,
  ScanRunnerModule,
];
