import {
  Global,
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { CallerGuard } from '../../guards/caller.guard.js';
import { GateGuard } from '../../guards/gate.guard.js';
import { SeatGuard } from '../../guards/seat.guard.js';
import { TierGuard } from '../../guards/tier.guard.js';
import { ToolCallers } from '../keys/tool-callers.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ContractInterceptor } from '../contract/contract.interceptor.js';
import { RouteManifest } from '../contract/route-manifest.js';
import { roleDataSource, type DatabaseAddress, type Role } from '../database/connection.js';
import { Listener } from '../database/listener.js';
import { ContractPipe } from '../fields/contract.pipe.js';
import { ClientAddresses } from '../http/client-address.js';
import { IdempotencyStore } from '../idempotency/idempotency.store.js';
import { AgentCheck } from '../keys/agent-check.js';
import { KeyCheck } from '../keys/key-check.js';
import { LOG, type Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Outbox } from '../outbox/outbox.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { SealedText } from '../sessions/sealed-text.js';
import { ToolCallSeal } from '../shield/tool-call-seal.js';
import { ServerSecret } from '../sessions/server-secret.js';
import { SessionCheck } from '../sessions/session-check.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { Throttle } from '../throttle/throttle.js';
import { ThrottleStore } from '../throttle/throttle.store.js';

/** What a process is given before Nest starts. */
export interface ProcessParts {
  settings: Settings;
  address: DatabaseAddress;
  log: Log;
  metrics: Metrics;
}

class DataSources {
  constructor(
    readonly app: DataSource,
    readonly operator: DataSource,
  ) {}
}

/** What a kind of process has beside what all have. */
export interface Machinery {
  providers: Provider[];
  /** Of them, those open to every room. */
  open: (abstract new (...args: never[]) => unknown)[];
  /** Ended before the database is let go: it still needs it. */
  endsFirst?: new (...args: never[]) => Ending;
  /** The guards and the filter of this process's requests, where they are not those of the tenant API. */
  gates?: Provider[];
}

interface Ending {
  stop(): Promise<void>;
}

const ENDS_FIRST = Symbol('ends first');

/** What is let go when the process stops, in this order: jobs in hand still need the database. */
@Injectable()
class LettingGo implements OnApplicationShutdown {
  constructor(
    @Inject(ENDS_FIRST) private readonly first: Ending | null,
    private readonly listener: Listener,
    private readonly sources: DataSources,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.first?.stop();
    await this.listener.stop();
    await Promise.all([this.sources.app.destroy(), this.sources.operator.destroy()]);
  }
}

/** What every request of the tenant API and the tool service passes. Order of refusals: 401, 412, 403 for the seat, 403 for the tier; validation comes after, in the pipe (D14). */
const TENANT_GATES: Provider[] = [
  { provide: APP_GUARD, useClass: CallerGuard },
  { provide: APP_GUARD, useClass: GateGuard },
  { provide: APP_GUARD, useClass: SeatGuard },
  { provide: APP_GUARD, useClass: TierGuard },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/** The tests see as a 500 what a route answers without declaring it; elsewhere no request pays for the look. */
const TEST_PIPELINE: Provider = { provide: APP_INTERCEPTOR, useClass: ContractInterceptor };

/** What needs nothing but what it injects, and is open to every room. */
const OPEN_TO_ROOMS = [Throttle, SealedText, Outbox, IdempotencyStore, RouteManifest, ToolCallSeal];

/** The process's settings, log, metrics and database. */
function foundation({ settings, address, log, metrics }: ProcessParts): Provider[] {
  const open = (role: Role) => new DataSource(roleDataSource(address, role, settings)).initialize();
  return [
    { provide: SETTINGS, useValue: settings },
    { provide: LOG, useValue: log },
    { provide: Metrics, useValue: metrics },
    {
      provide: DataSources,
      useFactory: async () => new DataSources(...(await Promise.all([open('svc_app'), open('svc_operator')]))),
    },
    { provide: Tenancy, useFactory: (sources: DataSources) => new Tenancy(sources.app), inject: [DataSources] },
    {
      provide: CrossTenant,
      useFactory: (sources: DataSources) =>
        new CrossTenant(
          sources.operator,
          metrics.counter('svc_cross_tenant_total', 'Units of work that could see more than one tenant, by reason.', [
            'reason',
          ]),
        ),
      inject: [DataSources],
    },
    { provide: Listener, useFactory: () => new Listener(settings, address, log) },
  ];
}

/** Who is calling, and from where. */
function credentials({ settings }: ProcessParts): Provider[] {
  return [
    {
      provide: KeyCheck,
      useFactory: (tenancy: Tenancy, crossTenant: CrossTenant, listener: Listener) =>
        new KeyCheck(tenancy, crossTenant, listener),
      inject: [Tenancy, CrossTenant, Listener],
    },
    {
      provide: ServerSecret,
      useFactory: (crossTenant: CrossTenant) => new ServerSecret(settings, crossTenant),
      inject: [CrossTenant],
    },
    {
      provide: SessionCheck,
      useFactory: (tenancy: Tenancy, listener: Listener, secret: ServerSecret) =>
        new SessionCheck(tenancy, listener, secret),
      inject: [Tenancy, Listener, ServerSecret],
    },
    {
      provide: AgentCheck,
      useFactory: (tenancy: Tenancy, listener: Listener, secret: ServerSecret) =>
        new AgentCheck(tenancy, listener, secret),
      inject: [Tenancy, Listener, ServerSecret],
    },
    ToolCallers,
    {
      provide: ClientAddresses,
      useFactory: (seals: ToolCallSeal) =>
        new ClientAddresses(settings.api.trustedProxies ?? [], (request) => seals.of(request)?.clientAddress),
      inject: [ToolCallSeal],
    },
  ];
}

/** The shared machinery of every process that answers requests: database, tenancy, guards, problems. Global, so that rooms import rooms alone. */
@Global()
@Module({})
export class CoreModule {
  /** @param own what this process has beside it */
  static of(parts: ProcessParts, own?: Machinery): DynamicModule {
    return {
      module: CoreModule,
      imports: [DiscoveryModule],
      providers: [
        ...foundation(parts),
        ...credentials(parts),
        ...OPEN_TO_ROOMS,
        ThrottleStore,
        LettingGo,
        own?.endsFirst ? { provide: ENDS_FIRST, useExisting: own.endsFirst } : { provide: ENDS_FIRST, useValue: null },
        ...(own?.providers ?? []),
        ...(own?.gates ?? TENANT_GATES),
        { provide: APP_PIPE, useClass: ContractPipe },
        ...(parts.settings.process.nodeEnv === 'test' ? [TEST_PIPELINE] : []),
      ],
      exports: [
        SETTINGS,
        LOG,
        Metrics,
        Tenancy,
        CrossTenant,
        Listener,
        KeyCheck,
        AgentCheck,
        SessionCheck,
        ServerSecret,
        ClientAddresses,
        ToolCallers,
        ...OPEN_TO_ROOMS,
        ...(own?.open ?? []),
      ],
    };
  }
}
