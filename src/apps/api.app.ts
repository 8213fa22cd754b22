import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { describeApi } from '../common/contract/openapi.js';
import { CoreModule, type ProcessParts } from '../common/core/core.module.js';
import { EvidenceModule } from '../common/evidence/evidence.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { NestLog } from '../common/observability/log.js';
import { CitationsModule } from '../modules/citations/citations.module.js';
import { EvidenceRoomModule } from '../modules/evidence/evidence.module.js';
import { IngestModule } from '../modules/ingest/ingest.module.js';
import { ProofsModule } from '../modules/proofs/proofs.module.js';
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

/** The tenant API: which rooms it opens, nothing else. */
@Module({})
class ApiModule {
  static of(parts: ProcessParts): DynamicModule {
    const rooms = [
      OperationsModule,
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
    return { module: ApiModule, imports: [CoreModule.of(parts), EvidenceModule, ...rooms] };
  }
}

export interface RunningApi {
  app: NestFastifyApplication;
  url: string;
}

/** Opens the tenant API on the address of the settings. */
export async function openApi(parts: ProcessParts): Promise<RunningApi> {
  const { settings, log, metrics } = parts;
  const adapter = makeHttpServer(settings, log, metrics);
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.of(parts), adapter, {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  // Without a public address the document points at wherever it was fetched from.
  serveDocument(app, settings.process.publicUrl ?? '/');
  // reusePort lets several processes share the port; the kernel spreads the connections.
  const binding = { host: settings.api.host, port: settings.api.port, reusePort: settings.api.processes > 1 };
  await app.listen(binding);
  const { port } = app.getHttpServer().address() as { port: number };
  return {
    app,
    url: `http://${settings.api.host.includes(':') ? `[${settings.api.host}]` : settings.api.host}:${port}`,
  };
}

/** Swagger UI at /docs, the document itself at /openapi.json. */
function serveDocument(app: NestFastifyApplication, server: string): void {
  const document = describeApi(app, {
    title: 'svc tenant API',
    description:
      'Ingest documents, retrieve ranked passages, cite them in answers, and prove it. Interface version 0.1.0; every failure has one body, ProblemBody.',
    version: '0.1.0',
    server,
  });
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'svc API',
    swaggerOptions: { persistAuthorization: true },
  });
}
