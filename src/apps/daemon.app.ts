import 'reflect-metadata';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { isDevMode } from '../common/config/daemon/auth-mode.js';
import type { Settings } from '../common/config/settings.js';
import type { ProcessContext } from '../common/process-context.js';
import { CoreModule } from './core.module.js';
import { EvidenceModule } from '../common/evidence-log/evidence-log.module.js';
import { ClientAddresses } from '../common/http/client-address.js';
import { PublicAddress } from '../common/http/public-address.js';
import { UpgradeAddress } from '../common/http/upgrade-address.js';
import { Jobs } from '../common/jobs/jobs.js';
import { jobsForOthers } from '../common/jobs/jobs.provider.js';
import { showBuild } from '../common/observability/build-metric.js';
import { TenantResolver } from '../guards/tenant-resolver.js';
import { TenantRegistry } from '../guards/tenant-registry.js';
import { DaemonFlagGuard } from '../guards/daemon-flag.guard.js';
import { NotBuiltGuard } from '../guards/not-built.guard.js';
import { PeerGuard } from '../guards/peer.guard.js';
import { PassportGuard } from '../guards/passport.guard.js';
import { PassportPresence } from '../guards/passport-presence.js';
import { PassportStandings } from '../guards/passport-standings.js';
import { ProServiceGuard } from '../guards/pro-service.guard.js';
import { ProvenCallerGuard } from '../guards/proven-caller.guard.js';
import { QuotaGuard } from '../guards/quota.guard.js';
import { RouteRateGuard } from '../guards/route-rate.guard.js';
import { ScopeGuard } from '../guards/scope.guard.js';
import { SwitchGuard } from '../guards/switch.guard.js';
import { TenantGuard } from '../guards/tenant.guard.js';
import { AccessTokens } from '../common/access-tokens/access-tokens.js';
import { AUTHENTICATOR, type Authenticator } from '../common/bearer-auth/authenticator.js';
import { makeAuthenticator } from '../common/bearer-auth/make-authenticator.js';
import { KeyAuthenticator } from '../common/bearer-auth/key-authenticator.js';
import { SeatAuthenticator } from '../common/bearer-auth/seat-authenticator.js';
import { HTTP_AUTHENTICATOR, SessionAuthenticator } from '../common/bearer-auth/session-authenticator.js';
import { authModeToStartIn, bindingsBeyondLoopback } from '../common/bearer-auth/start-rules.js';
import { DeclaredSystems } from '../common/contract/declared-systems.js';
import { ToolDispatcher } from '../common/contract/tool-dispatcher.js';
import { daemonContract } from '../common/contract/daemon-contract.js';
import { ApiCredentials } from './daemon/mcp/api-credentials.js';
import { DaemonToolAdmission } from './daemon/mcp/daemon-tool-admission.js';
import { DaemonToolDispatcher } from './daemon/mcp/daemon-tool-dispatcher.js';
import { daemonAddresses, makeDaemonServer } from './daemon/daemon-server.js';
import { Listeners } from './daemon/listeners.js';
import { openListeners, type ListenersOpened } from './daemon/open-listeners.js';
import { DaemonProblemFilter } from '../common/problem/daemon-problem.filter.js';
import { ProjectionChecks } from '../common/health/projection-checks.js';
import { PeerCheck } from '../common/peer-auth/peer-check.js';
import { DelegatedCallers } from '../common/keys/delegated-callers.js';
import { ToolCallers } from '../common/keys/tool-callers.js';
import { FailedCredentials } from '../common/throttle/failed-credentials.js';
import { Restarts } from '../common/restarts.js';
import { UnbuiltPlanes } from '../common/route-auth/unbuilt-planes.js';
import { FollowedCredentials } from '../common/bearer-auth/followed-credentials.js';
import { SessionCheck } from '../common/sessions/session-check.js';
import { ReadRetries } from '../common/read-retries/read-retries.js';
import { ReadRetryInterceptor } from '../common/read-retries/read-retry.interceptor.js';
import { ApprovalHandoverModule } from '../modules/shield/core/approvals/approval-handover.module.js';
import { ToolAdmissionsService } from '../modules/shield/core/tool-calls/tool-admissions.service.js';
import { ToolAdmissionsModule } from '../modules/shield/core/tool-calls/tool-admissions.module.js';
import { ToolSetChoicesModule } from '../modules/access/tenant-settings/tool-set-choices.module.js';
import { AuditModule } from '../modules/evidence/audit/audit.module.js';
import { IntentsModule } from '../modules/coordination/intents/intents.module.js';
import { OrchestratorsModule } from '../modules/coordination/orchestrators/orchestrators.module.js';
import { StatusFeedModule } from '../modules/coordination/status-feed/status-feed.module.js';
import { ClaimsModule } from '../modules/coordination/work/claims/claims.module.js';
import { WorkModule } from '../modules/coordination/work/work.module.js';
import { ErasureModule } from '../modules/governance/erasure/erasure.module.js';
import { AuthModule } from '../modules/governance/auth/auth.module.js';
import { IncidentsModule } from '../modules/governance/incidents/incidents.module.js';
import { ObserveModule } from '../modules/governance/observe/observe.module.js';
import { ProvenanceModule } from '../modules/governance/provenance/provenance.module.js';
import { ConsoleSummaryModule } from '../modules/console/summary/console-summary.module.js';
import { ConsoleApiModule } from '../modules/console/api/console-api.module.js';
import { ConsoleModule } from '../modules/console/pages/console.module.js';
import { LeasesModule } from '../modules/coordination/leases/leases.module.js';
import { HoldRefusalsModule } from '../common/legal-holds/hold-refusals.module.js';
import { LegalHoldsModule } from '../modules/governance/legal-holds/legal-holds.module.js';
import { PunchcardsModule } from '../modules/coordination/punchcards/punchcards.module.js';
import { CandidatesModule } from '../modules/memory/candidates/candidates.module.js';
import { CasesModule } from '../modules/memory/cases/cases.module.js';
import { ContextModule } from '../modules/memory/context/context.module.js';
import { FactsModule } from '../modules/memory/facts/facts.module.js';
import { EngramsModule } from '../modules/memory/engrams/engrams.module.js';
import { GraphModule } from '../modules/memory/graph/graph.module.js';
import { LiveModule } from '../modules/operations/live/live.module.js';
import { StreamsModule } from '../modules/memory/streams/streams.module.js';
import { ReadinessModule } from '../modules/operations/readiness/readiness.module.js';
import { ExportsModule } from '../modules/evidence/exports/exports.module.js';
import { ReceiptsModule } from '../modules/evidence/receipts/receipts.module.js';
import { RelationsModule } from '../modules/memory/relations/relations.module.js';
import { LocalIngestModule } from '../modules/memory/local-ingest/local-ingest.module.js';
import { EnvelopesModule } from '../modules/memory/envelopes/envelopes.module.js';
import { CapabilitiesModule } from '../modules/memory/capabilities/capabilities.module.js';
import { PeersModule } from '../modules/memory/peers/peers.module.js';
import { OpenaiShimModule } from '../modules/memory/openai-shim/openai-shim.module.js';
import { PacksModule } from '../modules/memory/packs/packs.module.js';
import { ComputeModule } from '../modules/memory/compute/compute.module.js';
import { LayersModule } from '../modules/projects/layers/layers.module.js';
import { ProjectsModule } from '../modules/projects/projects/projects.module.js';
import { DossiersModule } from '../modules/projects/dossiers/dossiers.module.js';
import { StorybooksModule } from '../modules/projects/storybooks/storybooks.module.js';
import { PeerLogsModule } from '../modules/evidence/peer-logs/peer-logs.module.js';
import { ReplayModule } from '../modules/evidence/replay/replay.module.js';
import { ContextGraphModule } from '../modules/projects/context-graph/context-graph.module.js';
import { WorkspaceScanModule } from '../modules/projects/workspace-scan/workspace-scan.module.js';
import { SyncExchangeModule } from '../modules/memory/sync-exchange/sync-exchange.module.js';
import { SyncModule } from '../modules/memory/sync/sync.module.js';
import { ReplicationModule } from '../modules/memory/replication/replication.module.js';
import { AdminModule } from '../modules/operations/admin/admin.module.js';
import { SpendingModule } from '../modules/operations/credits/spending.module.js';
import { CostModule } from '../modules/operations/cost/cost.module.js';
import { IdentityModule } from '../modules/operations/identity/identity.module.js';
import { PassportsModule } from '../modules/operations/passports/passports.module.js';
import { ActivityModule } from '../modules/operations/activity/activity.module.js';
import { IntegrationsModule } from '../modules/operations/integrations/integrations.module.js';
import { StudioModule } from '../modules/operations/studio/studio.module.js';
import { WorkbenchModule } from '../modules/operations/workbench/workbench.module.js';
import { ExtensionsModule } from '../modules/operations/extensions/extensions.module.js';
import { HostedSurfacesModule } from '../modules/operations/hosted-surfaces/hosted-surfaces.module.js';
import { MediationModule } from '../modules/operations/mediation/mediation.module.js';
import { QuotaModule } from '../modules/operations/quota/quota.module.js';
import { SystemModule } from '../modules/operations/system/system.module.js';
import { findApiUrl, signInUrlOf } from '../common/config/server-urls.js';
import { Metrics } from '../common/observability/metrics.js';
import { AgentRepeats } from '../rpc/agent/agent-repeats.js';
import { AgentTools } from '../rpc/agent/agent-tools.js';
import { ApiConnection } from '../rpc/api-connection.js';
import { DaemonToolsLoader } from '../rpc/tools/daemon-tools-loader.js';
import { makeServiceTools } from '../rpc/tools/service-tools.js';
import { ToolCatalog } from '../rpc/tools/tool-catalog.service.js';
import { ToolRegistry } from '../rpc/tools/tool-registry.js';
import { listen, makeHttpApp, type RunningApp } from './http-app.js';

/**
 * What every request passes once ingress has let it in: the flag of its plane, whether the route takes callers without
 * proof, then the signature of a peer or the credential, whether its service is enabled, the rate of the route,
 * whether that plane is built, and what is left of the caller's quota.
 */
const REQUESTS = {
  guards: [
    ...[DaemonFlagGuard, ProvenCallerGuard, PeerGuard, ScopeGuard, ProServiceGuard, RouteRateGuard],
    ...[NotBuiltGuard, QuotaGuard],
  ],
  pipeline: [
    { provide: APP_GUARD, useClass: TenantGuard },
    { provide: APP_GUARD, useClass: PassportGuard },
    { provide: APP_GUARD, useClass: SwitchGuard },
    { provide: APP_FILTER, useClass: DaemonProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: ReadRetryInterceptor },
  ],
};

const MODULES = [
  AuthModule,
  FactsModule,
  GraphModule,
  EngramsModule,
  LiveModule,
  ConsoleApiModule,
  ConsoleModule,
  ReadinessModule,
  ReceiptsModule,
  ExportsModule,
  AuditModule,
  PeerLogsModule,
  RelationsModule,
  ReplayModule,
  SystemModule,
  StreamsModule,
  LocalIngestModule,
  EnvelopesModule,
  ComputeModule,
  CapabilitiesModule,
  OpenaiShimModule,
  LeasesModule,
  ClaimsModule,
  WorkModule,
  IntentsModule,
  OrchestratorsModule,
  StatusFeedModule,
  PunchcardsModule,
  IncidentsModule,
  ErasureModule,
  LegalHoldsModule,
  ProvenanceModule,
  ObserveModule,
  PacksModule,
  PeersModule,
  SyncModule,
  SyncExchangeModule,
  CandidatesModule,
  CasesModule,
  ContextModule,
  ProjectsModule,
  LayersModule,
  ContextGraphModule,
  WorkspaceScanModule,
  StorybooksModule,
  DossiersModule,
  PassportsModule,
  CostModule,
  SpendingModule,
  IdentityModule,
  WorkbenchModule,
  ActivityModule,
  IntegrationsModule,
  StudioModule,
  QuotaModule,
  ExtensionsModule,
  MediationModule,
  AdminModule,
  ConsoleSummaryModule,
  ReplicationModule,
  ToolAdmissionsModule,
  ApprovalHandoverModule,
];

/** Modules that a daemon has where a build feature is named (memory-daemon.md 4.12). */
const modulesFor = ({ tracing }: Settings) => [
  ...MODULES,
  ...(tracing.features.includes('hosted-surfaces') ? [HostedSurfacesModule] : []),
];

/** What the daemon has for all of its modules. */
const SHARED = [
  ...[Listeners, TenantResolver, TenantRegistry, PassportStandings, PassportPresence, FollowedCredentials],
  ...[ProjectionChecks, ReadRetries, UnbuiltPlanes, PeerCheck],
];

/** How callers are known: by the mode of the settings, by keys, seats and agents too, and over HTTP by sessions. */
const authenticators = (authenticator: Authenticator, settings: Settings): Provider[] => [
  ToolCallers,
  {
    provide: AUTHENTICATOR,
    useFactory: (
      callers: ToolCallers,
      failures: FailedCredentials,
      addresses: ClientAddresses,
      tokens: AccessTokens,
      delegated: DelegatedCallers,
    ) =>
      new SeatAuthenticator(
        new KeyAuthenticator(authenticator, { callers, failures, addresses }, settings),
        { tokens, delegated },
        settings,
      ),
    inject: [ToolCallers, FailedCredentials, ClientAddresses, AccessTokens, DelegatedCallers],
  },
  {
    provide: HTTP_AUTHENTICATOR,
    useFactory: (keys: Authenticator, sessions: SessionCheck) => new SessionAuthenticator(keys, sessions, settings),
    inject: [AUTHENTICATOR, SessionCheck],
  },
];

const tools = (settings: Settings): Provider[] => [
  ...[ToolCatalog, AgentTools, AgentRepeats, DaemonToolsLoader],
  {
    // Without an address of the API the daemon goes on without it.
    provide: ApiConnection,
    useFactory: (metrics: Metrics) =>
      findApiUrl(settings) === undefined ? null : new ApiConnection(settings, metrics),
    inject: [Metrics],
  },
  { provide: ToolRegistry, useFactory: makeServiceTools },
  {
    provide: DaemonToolAdmission,
    useFactory: (
      modules: ModuleRef,
      authenticator: Authenticator,
      delegated: DelegatedCallers,
      standings: PassportStandings,
      tokens: AccessTokens,
    ) =>
      new DaemonToolAdmission(
        // Its module is none of the core's.
        { admit: (call) => modules.get(ToolAdmissionsService, { strict: false }).admit(call) },
        new ApiCredentials(settings, { authenticator, delegated, standings, tokens }),
      ),
    inject: [ModuleRef, HTTP_AUTHENTICATOR, DelegatedCallers, PassportStandings, AccessTokens],
  },
  { provide: ToolDispatcher, useClass: DaemonToolDispatcher },
];

/** The memory daemon: which modules it imports, nothing else. */
@Module({})
class DaemonAppModule {
  static of(parts: ProcessContext, authenticator: Authenticator): DynamicModule {
    const { settings } = parts;
    const modules = modulesFor(settings);
    const values: Provider[] = [
      { provide: ClientAddresses, useValue: daemonAddresses(settings) },
      { provide: Restarts, useValue: new Restarts(parts.restart) },
      { provide: UpgradeAddress, useValue: new UpgradeAddress(settings, PublicAddress.ofApi(settings)) },
      // Loaded when it is asked for: no start waits for the modules of the other apps.
      {
        provide: DeclaredSystems,
        useValue: { read: async () => (await import('./app-declarations.js')).declaredSystems(modules) },
      },
      ...authenticators(authenticator, settings),
      ...tools(settings),
      jobsForOthers(parts),
    ];
    const options = {
      contract: daemonContract(settings.daemon.errorsBase),
      mcpUrl: signInUrlOf(settings, 'daemon'),
      providers: [...SHARED, ...values],
      exports: [...SHARED, Jobs, AUTHENTICATOR, Restarts, UpgradeAddress, ToolDispatcher, DeclaredSystems],
      stopFirst: Jobs,
      requests: REQUESTS,
    };
    return {
      module: DaemonAppModule,
      imports: [CoreModule.of(parts, options), EvidenceModule, HoldRefusalsModule, ToolSetChoicesModule, ...modules],
    };
  }
}

/**
 * Opens the daemon's listeners on the addresses of the settings.
 * @throws Error saying what to set, before anything is bound
 */
export async function openDaemon(parts: ProcessContext): Promise<RunningApp & ListenersOpened> {
  const { settings, log } = parts;
  const mode = authModeToStartIn(settings);
  const beyond = bindingsBeyondLoopback(settings);
  if (beyond.length > 0)
    log.warn({ bindings: beyond, auth_mode: mode }, 'the daemon can be reached from other machines');
  if (isDevMode(mode))
    log.warn(
      { auth_mode: mode },
      'everybody on this machine may do everything here, in every tenant; SVCD_AUTH_MODE=jwt_hs256 asks for tokens, which `svc token` mints',
    );
  showBuild(parts.metrics, 'daemon');
  const authenticator = await makeAuthenticator(mode, settings, log);
  await authenticator.prepare?.();
  const app = await makeHttpApp(
    DaemonAppModule.of(parts, authenticator),
    makeDaemonServer(parts),
    parts,
    'docs/openapi',
  );
  const { httpHost: host, httpPort: port } = settings.daemon;
  const running = await listen(app, { host, port, processes: 1 });
  try {
    return { ...running, ...(await openListeners(parts, app, running.url)) };
  } catch (error) {
    await app.close();
    throw error;
  }
}
