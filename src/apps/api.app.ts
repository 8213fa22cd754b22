import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { withPaymentSecret } from '../common/database/bootstrap.js';
import type { ProcessContext } from '../common/process-context.js';
import { apiOptions } from './api-options.js';
import { CoreModule } from './core.module.js';
import { EvidenceModule } from '../common/evidence-log/evidence-log.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { OwnHosts } from '../common/http/own-hosts.js';
import { HoldRefusalsModule } from '../common/legal-holds/hold-refusals.module.js';
import { CitationsModule } from '../modules/knowledge/citations/citations.module.js';
import { PublicLogModule } from '../modules/knowledge/public-log/public-log.module.js';
import { IngestModule } from '../modules/knowledge/ingest/ingest.module.js';
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
import { SeatsModule } from '../modules/access/seats/seats.module.js';
import { ShieldModule } from '../modules/shield/core/shield.module.js';
import { TenantSweepModule } from '../modules/access/tenants/tenant-sweep.module.js';
import { WatchesModule } from '../modules/continuity/watches/watches.module.js';
import { listen, makeHttpApp, type RunningApp } from './http-app.js';

/** The tenant API: which modules it imports, nothing else. */
@Module({})
class ApiModule {
  static of(parts: ProcessContext): DynamicModule {
    const modules = [
      OperationsModule.of(API_OPERATIONS),
      FrontdoorModule,
      SeatsModule,
      TenantSweepModule,
      AgentsModule,
      IngestModule,
      RetrievalModule,
      CitationsModule,
      ProofsModule,
      PublicLogModule,
      EconomyModule,
      BundlesModule,
      ContinuityModule,
      FeedbackModule,
      WatchesModule,
      ShieldModule,
      OutboxModule,
    ];
    const imports = [CoreModule.of(parts, apiOptions(parts)), EvidenceModule, HoldRefusalsModule, ...modules];
    return { module: ApiModule, imports };
  }
}

/** Opens the tenant API on the address of the settings. */
export async function openApi(context: ProcessContext): Promise<RunningApp> {
  const settings = await withPaymentSecret(context.settings);
  const parts = { ...context, settings };
  const { stopping } = parts;
  const ownHosts = new OwnHosts(settings, { host: settings.api.host, publicUrl: settings.process.publicUrl });
  const server = makeHttpServer({ ...settings.api, ownHosts, stopping }, parts);
  const app = await makeHttpApp(ApiModule.of(parts), server, parts);
  return listen(app, settings.api);
}
