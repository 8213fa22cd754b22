import {
  Global,
  Inject,
  Injectable,
  Module,
  type Abstract,
  type CanActivate,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { BodyTenantGuard } from '../guards/body-tenant.guard.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { FlagGuard } from '../guards/flag.guard.js';
import { SeatGuard } from '../guards/seat.guard.js';
import { RouteGuards } from '../guards/route-guards.js';
import { TierGuard } from '../guards/tier.guard.js';
import { AccessTokens } from '../common/access-tokens/access-tokens.js';
import { MCP_URL } from '../common/access-tokens/mcp-url.js';
import { SeatCheck } from '../common/access-tokens/seat-check.js';
import { CacheBudget } from '../common/caches/cache-budget.js';
import { ToolCallers } from '../common/keys/tool-callers.js';
import { SETTINGS } from '../common/config/settings.js';
import { ContractInterceptor } from '../common/contract/contract.interceptor.js';
import { OpenApiDocuments } from '../common/contract/openapi.js';
import { RouteManifest } from '../common/contract/route-manifest.js';
import { SERVER_CONTRACT, type ServerContract } from '../common/contract/server-contract.js';
import { DatabaseProbe } from '../common/database/database-probe.js';
import { DATABASE_ADDRESS } from '../common/database/connection.js';
import { Connections } from '../common/database/connections.js';
import { Listener } from '../common/database/listener.js';
import { ContractPipe } from '../common/fields/contract.pipe.js';
import { VouchedAddresses } from '../common/http/vouched-address.js';
import { ClientAddresses } from '../common/http/client-address.js';
import { IdempotencyStore } from '../common/idempotency/idempotency.store.js';
import { DelegatedCallers } from '../common/keys/delegated-callers.js';
import { AgentCheck } from '../common/keys/agent-check.js';
import { KeyCheck } from '../common/keys/key-check.js';
import { GenAiSpans } from '../common/observability/gen-ai-spans.js';
import { LOG } from '../common/observability/log.js';
import { Metrics } from '../common/observability/metrics.js';
import { isTracing } from '../common/observability/tracing.js';
import type { ProcessContext } from '../common/process-context.js';
import { Outbox } from '../common/outbox/outbox.js';
import { ProblemFilter } from '../common/problem/problem.filter.js';
import { DueWork } from '../common/scheduler/due-work.js';
import { Scheduler } from '../common/scheduler/scheduler.js';
import { EncryptedText } from '../common/sessions/encrypted-text.js';
import { ToolCallSigner } from '../common/call-policy/tool-call-signer.js';
import { ServerSecret } from '../common/sessions/server-secret.js';
import { SessionCheck } from '../common/sessions/session-check.js';
import { CrossTenant } from '../common/tenancy/cross-tenant.js';
import { Tenancy } from '../common/tenancy/tenancy.js';
import { FailedCredentials } from '../common/throttle/failed-credentials.js';
import { Throttle } from '../common/throttle/throttle.js';
import { ThrottleStore } from '../common/throttle/throttle.store.js';
import { STOPPING } from '../common/http/stopping.js';
import { ENTITIES } from './entities.js';

/** What one app has in addition to what all apps have. */
export interface AppOptions {
  contract: ServerContract;
  /** Of its MCP endpoint, as clients reach it, where people sign in for it. */
  mcpUrl?: string | undefined;
  providers?: Provider[];
  /** Of them, those that every module may inject. */
  exports?: (Type | Abstract<unknown> | symbol)[];
  /** Stopped before the connections to the database are closed: it still needs them. */
  stopFirst?: Type<Stoppable>;
  /** What its requests pass, where that is not what those of the tenant API pass. */
  requests?: RequestOptions;
}

/** What every request passes. */
interface RequestOptions {
  /** In this order, before the body is read. */
  guards: Type<CanActivate>[];
  /** After the body is read: Nest's own guards, filters and interceptors. */
  pipeline: Provider[];
}

interface Stoppable {
  stop(): Promise<void>;
}

const STOP_FIRST = Symbol('stopped first');

/** What stops with the process, in this order: jobs in flight still need the database. */
@Injectable()
class ShutdownSequence implements OnApplicationShutdown {
  constructor(
    @Inject(STOP_FIRST) private readonly first: Stoppable | null,
    private readonly dueWork: DueWork,
    private readonly listener: Listener,
    private readonly connections: Connections,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.first?.stop();
    await this.dueWork.stop();
    await this.listener.stop();
    await this.connections.close();
  }
}

/**
 * What every request of the tenant API and the tool service passes. Order of refusals: 401, 412, 403 for the seat, 403
 * for the tier; a tenant that the body names and validation come after (D14).
 */
const TENANT_REQUESTS: RequestOptions = {
  guards: [CallerGuard, FlagGuard, SeatGuard, TierGuard],
  pipeline: [
    { provide: APP_GUARD, useClass: BodyTenantGuard },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
};

const requestProviders = ({ guards, pipeline }: RequestOptions): Provider[] => [
  ...guards,
  { provide: RouteGuards, useFactory: (...all: CanActivate[]) => new RouteGuards(all), inject: guards },
  ...pipeline,
];

/** The tests see as a 500 what a route answers without declaring it; elsewhere no request pays for the look. */
const TEST_PIPELINE: Provider = { provide: APP_INTERCEPTOR, useClass: ContractInterceptor };

/** What every module may inject. */
const SHARED = [
  DatabaseProbe,
  KeyCheck,
  AgentCheck,
  SeatCheck,
  AccessTokens,
  SessionCheck,
  ServerSecret,
  ToolCallers,
  Throttle,
  FailedCredentials,
  EncryptedText,
  Outbox,
  IdempotencyStore,
  RouteManifest,
  OpenApiDocuments,
  Scheduler,
  DueWork,
  ToolCallSigner,
  VouchedAddresses,
  DelegatedCallers,
];

/** The process's settings, log, metrics and database. */
function platform({ settings, address, log, metrics, stopping }: ProcessContext): Provider[] {
  return [
    { provide: SETTINGS, useValue: settings },
    { provide: LOG, useValue: log },
    { provide: DATABASE_ADDRESS, useValue: address },
    { provide: Metrics, useValue: metrics },
    CacheBudget,
    { provide: STOPPING, useValue: stopping ?? new AbortController().signal },
    {
      provide: Connections,
      useFactory: () => Connections.open(address, { settings, log, metrics, entities: ENTITIES }),
    },
    {
      provide: Tenancy,
      useFactory: ({ app, replica }: Connections) =>
        new Tenancy(app.source, address.sessionUrl === undefined, app.writes, log, replica?.replica),
      inject: [Connections],
    },
    {
      provide: CrossTenant,
      useFactory: ({ operator }: Connections) =>
        new CrossTenant(
          operator.source,
          metrics.counter('svc_cross_tenant_total', 'Units of work that could see more than one tenant, by reason.', [
            'reason',
          ]),
          operator.writes,
        ),
      inject: [Connections],
    },
    {
      provide: Listener,
      useFactory: ({ app }: Connections) => new Listener({ settings, address, log, monitor: app.monitor }),
      inject: [Connections],
    },
  ];
}

const clientAddresses = ({ settings }: ProcessContext): Provider => ({
  provide: ClientAddresses,
  useFactory: (calls: ToolCallSigner, vouched: VouchedAddresses) =>
    new ClientAddresses(
      settings.api.trustedProxies ?? [],
      (request) => calls.of(request)?.clientAddress ?? vouched.of(request),
    ),
  inject: [ToolCallSigner, VouchedAddresses],
});

/** What every module may inject of it. */
const PLATFORM = [SETTINGS, LOG, DATABASE_ADDRESS, Metrics, CacheBudget, STOPPING, Tenancy, CrossTenant, Listener];

/**
 * The platform of every app: settings, database, tenancy, credentials, guards and problems. Global, so that modules
 * import modules alone.
 */
@Global()
@Module({})
export class CoreModule {
  /** What is left of it in a process that answers nobody: a verb of the command line that acts in a tenant. */
  static withoutRequests(context: ProcessContext): DynamicModule {
    const providers = [Outbox, Scheduler, DueWork];
    return {
      module: CoreModule,
      providers: [...platform(context), ...providers, ShutdownSequence, { provide: STOP_FIRST, useValue: null }],
      exports: [...PLATFORM, ...providers],
    };
  }

  static of(context: ProcessContext, app: AppOptions): DynamicModule {
    const stopFirst = app.stopFirst ? { useExisting: app.stopFirst } : { useValue: null };
    return {
      module: CoreModule,
      imports: [DiscoveryModule],
      providers: [
        ...platform(context),
        clientAddresses(context),
        ...SHARED,
        ThrottleStore,
        ShutdownSequence,
        { provide: STOP_FIRST, ...stopFirst },
        ...(app.providers ?? []),
        { provide: SERVER_CONTRACT, useValue: app.contract },
        { provide: MCP_URL, useValue: app.mcpUrl ?? null },
        ...requestProviders(app.requests ?? TENANT_REQUESTS),
        { provide: APP_PIPE, useClass: ContractPipe },
        ...(isTracing() ? [{ provide: APP_INTERCEPTOR, useClass: GenAiSpans }] : []),
        ...(context.settings.process.nodeEnv === 'test' ? [TEST_PIPELINE] : []),
      ],
      exports: [...[SERVER_CONTRACT, MCP_URL, ClientAddresses], ...PLATFORM, ...SHARED, ...(app.exports ?? [])],
    };
  }
}
