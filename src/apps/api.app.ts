import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { apiMachinery } from '../common/core/api-machinery.js';
import { CoreModule, type ProcessParts } from '../common/core/core.module.js';
import { EvidenceModule } from '../common/evidence/evidence.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { CitationsModule } from '../modules/citations/citations.module.js';
import { EvidenceRoomModule } from '../modules/evidence/evidence.module.js';
import { IngestModule } from '../modules/ingest/ingest.module.js';
import { ProofsModule } from '../modules/proofs/proofs.module.js';
import { API_OPERATIONS } from '../modules/operations/api-operations.js';
import { OperationsModule } from '../modules/operations/operations.module.js';
import { RetrievalModule } from '../modules/retrieval/retrieval.module.js';
import { AgentsModule } from '../modules/agents/agents.module.js';
import { BundlesModule } from '../modules/bundles/bundles.module.js';
import { ContinuityModule } from '../modules/continuity/continuity.module.js';
import { EconomyModule } from '../modules/economy/economy.module.js';
import { FeedbackModule } from '../modules/feedback/feedback.module.js';
import { FrontdoorModule } from '../modules/frontdoor/frontdoor.module.js';
import { OutboxModule } from '../modules/outbox/outbox.module.js';
import { SeatsModule } from '../modules/seats/seats.module.js';
import { ShieldModule } from '../modules/shield/shield.module.js';
import { WatchesModule } from '../modules/watches/watches.module.js';
import { listen, makeHttpApp, serveDocument, type RunningApp } from './http-app.js';

/** The tenant API: which rooms it opens, nothing else. */
@Module({})
class ApiModule {
  static of(parts: ProcessParts): DynamicModule {
    const rooms = [
      OperationsModule.of(API_OPERATIONS),
      FrontdoorModule,
      SeatsModule,
      AgentsModule,
      IngestModule,
      RetrievalModule,
      CitationsModule,
      ProofsModule,
      EvidenceRoomModule,
      EconomyModule,
      BundlesModule,
      ContinuityModule,
      FeedbackModule,
      WatchesModule,
      ShieldModule,
      OutboxModule,
    ];
    return { module: ApiModule, imports: [CoreModule.of(parts, apiMachinery(parts)), EvidenceModule, ...rooms] };
  }
}

/** Opens the tenant API on the address of the settings. */
export async function openApi(parts: ProcessParts): Promise<RunningApp> {
  const { settings, log, metrics } = parts;
  const app = await makeHttpApp(ApiModule.of(parts), makeHttpServer(settings.api, log, metrics), parts);
  serveDocument(app, {
    title: 'svc tenant API',
    description:
      'Ingest documents, retrieve ranked passages, cite them in answers, and prove it. Interface version 0.1.0; every failure has one body, ProblemBody.',
    version: '0.1.0',
    // Without a public address the document points at wherever it was fetched from.
    server: settings.process.publicUrl ?? '/',
  });
  return listen(app, settings.api);
}
