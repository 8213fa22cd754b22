import 'reflect-metadata';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { CoreModule, type ProcessParts } from '../common/core/core.module.js';
import { EvidenceModule } from '../common/evidence/evidence.module.js';
import { Jobs } from '../common/jobs/jobs.js';
import { jobsForOthers } from '../common/jobs/jobs-for-others.js';
import { TenantDoor } from '../daemon/admission/tenant-door.js';
import { TenantGuard } from '../daemon/admission/tenant.guard.js';
import type { Authenticator } from '../daemon/auth/authenticator.js';
import { makeAuthenticator } from '../daemon/auth/make-authenticator.js';
import { authModeToStartIn, bindingsBeyondLoopback } from '../daemon/auth/start-rules.js';
import { DaemonManifest } from '../daemon/contract/daemon-manifest.js';
import { ManifestDocument } from '../daemon/contract/manifest-document.js';
import { describeDaemon, manifestOf, serveDocs } from '../daemon/daemon-document.js';
import { makeDaemonServer } from '../daemon/daemon-server.js';
import { Listeners } from '../daemon/listeners.js';
import { openListeners, type ListenersOpened } from '../daemon/open-listeners.js';
import { DaemonProblemFilter } from '../daemon/problems/daemon-problem.filter.js';
import { ProjectionChecks } from '../daemon/readiness/projection-checks.js';
import { ReadRetries } from '../daemon/reads/read-retries.js';
import { ReadRetryInterceptor } from '../daemon/reads/read-retry.interceptor.js';
import { ScheduledWork } from '../daemon/schedule/scheduled-work.js';
import { AuditModule } from '../modules/audit/audit.module.js';
import { AuthModule } from '../modules/auth/auth.module.js';
import { ConsoleModule } from '../modules/console/console.module.js';
import { FactsModule } from '../modules/facts/facts.module.js';
import { GraphModule } from '../modules/graph/graph.module.js';
import { LiveModule } from '../modules/live/live.module.js';
import { StreamsModule } from '../modules/streams/streams.module.js';
import { ReadinessModule } from '../modules/readiness/readiness.module.js';
import { ExportsModule } from '../modules/exports/exports.module.js';
import { ReceiptsModule } from '../modules/receipts/receipts.module.js';
import { RelationsModule } from '../modules/relations/relations.module.js';
import { LocalIngestModule } from '../modules/local-ingest/local-ingest.module.js';
import { EnvelopesModule } from '../modules/envelopes/envelopes.module.js';
import { ReplayModule } from '../modules/replay/replay.module.js';
import { SystemModule } from '../modules/system/system.module.js';
import { listen, makeHttpApp, type RunningApp } from './http-app.js';

const GATES: Provider[] = [
  { provide: APP_GUARD, useClass: TenantGuard },
  { provide: APP_FILTER, useClass: DaemonProblemFilter },
  { provide: APP_INTERCEPTOR, useClass: ReadRetryInterceptor },
];

/** The memory daemon: which rooms it opens, nothing else. */
@Module({})
class DaemonAppModule {
  static of(parts: ProcessParts, authenticator: Authenticator): DynamicModule {
    const open = [
      Listeners,
      TenantDoor,
      DaemonManifest,
      ManifestDocument,
      ProjectionChecks,
      ReadRetries,
      ScheduledWork,
    ];
    const own = { providers: [...open, jobsForOthers(parts)], open: [...open, Jobs], endsFirst: Jobs, gates: GATES };
    const rooms = [
      AuthModule.of(authenticator),
      FactsModule,
      GraphModule,
      LiveModule,
      ConsoleModule,
      ReadinessModule,
      ReceiptsModule,
      ExportsModule,
      AuditModule,
      RelationsModule,
      ReplayModule,
      SystemModule,
      StreamsModule,
      LocalIngestModule,
      EnvelopesModule,
    ];
    return { module: DaemonAppModule, imports: [CoreModule.of(parts, own), EvidenceModule, ...rooms] };
  }
}

/** Opens the daemon's listeners on the addresses of the settings. @throws Error saying what to set, before anything is bound */
export async function openDaemon(parts: ProcessParts): Promise<RunningApp & ListenersOpened> {
  const { settings, log } = parts;
  const mode = authModeToStartIn(settings);
  const beyond = bindingsBeyondLoopback(settings);
  if (beyond.length > 0)
    log.warn({ bindings: beyond, auth_mode: mode }, 'the daemon can be reached from other machines');
  const authenticator = await makeAuthenticator(mode, settings, log);
  await authenticator.prepare?.();
  const app = await makeHttpApp(
    DaemonAppModule.of(parts, authenticator),
    makeDaemonServer(parts, authenticator),
    parts,
  );
  const document = describeDaemon(app, '0.1.0');
  app.get(ManifestDocument).set(manifestOf(document));
  serveDocs(app, document);
  const { httpHost: host, httpPort: port } = settings.daemon;
  const running = await listen(app, { host, port, processes: 1 });
  return { ...running, ...(await openListeners(parts, app, { url: running.url, document })) };
}
