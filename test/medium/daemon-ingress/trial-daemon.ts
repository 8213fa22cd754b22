import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Injectable, Module, Res, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { listen, makeHttpApp } from '../../../src/apps/http-app.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { anyOf, anyone, ok, okStream, unchecked } from '../../../src/common/contract/contract.js';
import { CoreModule } from '../../../src/apps/core.module.js';
import type { ProcessContext } from '../../../src/common/process-context.js';
import { Text } from '../../../src/common/fields/fields.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { makeAuthenticator } from '../../../src/common/bearer-auth/make-authenticator.js';
import { daemonContract } from '../../../src/common/contract/daemon-contract.js';
import { Route } from '../../../src/common/contract/route.decorator.js';
import { UnbuiltPlanes } from '../../../src/common/route-auth/unbuilt-planes.js';
import { AUTHENTICATOR, type Authenticator } from '../../../src/common/bearer-auth/authenticator.js';
import { HTTP_AUTHENTICATOR } from '../../../src/common/bearer-auth/session-authenticator.js';
import { ClientAddresses } from '../../../src/common/http/client-address.js';
import { DaemonFlagGuard } from '../../../src/guards/daemon-flag.guard.js';
import { NotBuiltGuard } from '../../../src/guards/not-built.guard.js';
import { PassportStandings } from '../../../src/guards/passport-standings.js';
import { ScopeGuard } from '../../../src/guards/scope.guard.js';
import { TenantRegistry } from '../../../src/guards/tenant-registry.js';
import { EvidenceModule } from '../../../src/common/evidence-log/evidence-log.module.js';
import { daemonAddresses, makeDaemonServer, ROUTER_TIMEOUT_MS } from '../../../src/apps/daemon/daemon-server.js';
import { Deadline } from '../../../src/common/ingress/deadline.js';
import { DaemonProblemFilter } from '../../../src/common/problem/daemon-problem.filter.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { LogLines } from './log-lines.js';

const tag = 'trial';
const MIB = 1024 * 1024;
const STREAM = okStream('text/plain');

class Said {
  @Text({ about: 'What came.' })
  said!: string;
}

class Echo {
  @Text({ about: 'What to say.', max: 64 * MIB })
  text!: string;
}

/** What the handlers did and may do, for the tests to see and steer. */
@Injectable()
class Trial {
  /** Resolves the requests that wait. */
  release = (): void => undefined;
  released = Promise.resolve();
  reasons: string[] = [];
  begun = 0;

  hold(): void {
    this.released = new Promise((resolve) => (this.release = resolve));
  }
}

@Controller()
class TrialController {
  constructor(private readonly trial: Trial) {}

  @Route('GET /healthz', { tag, summary: 'Alive', access: anyone(), reply: ok(Said) })
  async health(): Promise<Said> {
    return { said: 'ok' };
  }

  @Route('POST /v1/auth/trial/echo', { tag, summary: 'Echo', access: unchecked(), reply: ok(Said) })
  async echo(@Body() { text }: Echo): Promise<Said> {
    this.trial.begun += 1;
    return { said: String(text.length) };
  }

  @Route('POST /v1/auth/trial/large', { tag, summary: 'L', access: anyone(), reply: ok(Said), bodyLimit: 64 * MIB })
  async large(@Body() { text }: Echo): Promise<Said> {
    return { said: String(text.length) };
  }

  @Route('POST /v1/facts/trial', { tag, summary: 'S', access: anyOf('facts:write'), reply: ok(Said) })
  async scoped(@Body() { text }: Echo): Promise<Said> {
    return { said: text };
  }

  @Route('GET /v1/auth/trial/wait', { tag, summary: 'Waits', access: anyone(), reply: ok(Said) })
  async wait(@Deadline() deadline: AbortSignal): Promise<Said> {
    this.trial.begun += 1;
    deadline.addEventListener('abort', () => this.trial.reasons.push((deadline.reason as Error).constructor.name));
    await this.trial.released;
    return { said: 'late' };
  }

  @Route('GET /v1/auth/trial/fault', { tag, summary: 'Throws', access: anyone(), reply: ok(Said) })
  async fault(): Promise<Said> {
    throw new Error('the secret cause');
  }

  @Route('GET /v1/auth/trial/fault-of-a-library', { tag, summary: 'Throws', access: anyone(), reply: ok(Said) })
  async faultOfALibrary(): Promise<Said> {
    throw Object.assign(new Error('the secret cause'), { statusCode: 404 });
  }

  @Route('GET /v1/auth/trial/nothing-thrown', { tag, summary: 'Throws', access: anyone(), reply: ok(Said) })
  async nothingThrown(): Promise<Said> {
    const nothing: unknown = undefined;
    throw nothing as Error;
  }

  @Route('GET /v1/auth/trial/unwritable', { tag, summary: 'Cannot be JSON', access: anyone(), reply: ok(Said) })
  async unwritable(): Promise<Said> {
    return { said: 1n as unknown as string };
  }

  @Route('GET /v1/auth/trial/stream', { tag, summary: 'S', access: anyone(), reply: STREAM, streams: true })
  async stream(@Res() reply: FastifyReply, @Deadline() deadline: AbortSignal): Promise<void> {
    const { trial } = this;
    deadline.addEventListener('abort', () => trial.reasons.push((deadline.reason as Error).constructor.name));
    async function* beats() {
      for (;;) {
        yield 'beat\n';
        await sleep(20);
      }
    }
    void reply.header('content-type', 'text/plain').send(Readable.from(beats()));
  }

  @Route('GET /v1/auth/trial/own-stream', { tag, summary: 'O', access: anyone(), reply: STREAM, streams: true })
  async ownStream(@Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    await this.trial.released;
    reply.raw.writeHead(200, { 'content-type': 'text/plain' });
    reply.raw.write('begun\n');
  }
}

export interface TrialDaemon {
  url: string;
  port: number;
  app: NestFastifyApplication;
  trial: Trial;
  log: LogLines;
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>;
  close(): Promise<void>;
}

@Module({})
class TrialModule {
  static of(parts: ProcessContext, authenticator: Authenticator): DynamicModule {
    const own = {
      contract: daemonContract(parts.settings.daemon.errorsBase),
      providers: [
        { provide: AUTHENTICATOR, useValue: authenticator },
        { provide: HTTP_AUTHENTICATOR, useValue: authenticator },
        { provide: ClientAddresses, useValue: daemonAddresses(parts.settings) },
        UnbuiltPlanes,
        TenantRegistry,
        PassportStandings,
      ],
      requests: {
        guards: [DaemonFlagGuard, ScopeGuard, NotBuiltGuard],
        pipeline: [{ provide: APP_FILTER, useClass: DaemonProblemFilter }],
      },
    };
    return {
      module: TrialModule,
      imports: [CoreModule.of(parts, own), EvidenceModule],
      controllers: [TrialController],
      providers: [Trial],
    };
  }
}

/** The listener of the daemon with handlers that are slow, fail or last, in the mode dev_scopes. */
export async function startTrial(
  database: TrialDatabase,
  { env = {}, timeoutMs = ROUTER_TIMEOUT_MS }: { env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<TrialDaemon> {
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_DATA_DIR: database.dataDir,
    SVCD_AUTH_MODE: 'dev_scopes',
    SVC_DATABASE_POOL_SIZE: '2',
    SVC_DATABASE_CONNECT_TIMEOUT_MS: '15000',
    ...env,
  });
  const log = new LogLines();
  const parts = { settings, address: { ownerUrl: database.url }, log: log.log, metrics: new Metrics() };
  const authenticator = await makeAuthenticator('dev_scopes', settings, makeLog(settings, 'daemon'));
  const server = makeDaemonServer(parts, timeoutMs);
  const app = await makeHttpApp(TrialModule.of(parts, authenticator), server, parts);
  const { url } = await listen(app, { host: '127.0.0.1', port: 0, processes: 1 });
  return {
    url,
    port: Number(new URL(url).port),
    app,
    trial: app.get(Trial),
    log,
    metric: async (name) => (await parts.metrics.registry.getSingleMetric(name)!.get()).values[0]?.value ?? 0,
    close: () => app.close(),
  };
}

/** A database with the data directory, and so the signing key, of the daemons that are started on it. */
export interface TrialDatabase extends TestDatabase {
  dataDir: string;
}

export async function trialDatabase(): Promise<TrialDatabase> {
  const database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-trial-'));
  const drop = async (): Promise<void> => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...database, dataDir, drop };
}
