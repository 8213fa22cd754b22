import type { OnModuleInit } from '@nestjs/common';
import {
  PgBoss,
  type Db,
  type Job,
  type JobResult,
  type JobWithMetadata,
  type SendOptions,
  type WorkOptions,
} from 'pg-boss';
import type { Settings } from '../config/settings.js';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import type { Log } from '../observability/log.js';
import { currentTraceparent, type SpanOptions, SpanKind, traced } from '../observability/tracing.js';
import { type DueWork, FALLBACK_MS } from '../scheduler/due-work.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { DueTimes } from './due-times.js';
import type { QueueName } from './queues.js';

/** What a job carries: whose it is, and ids of what it is about. */
interface JobData {
  readonly tenantId: string;
}

export interface JobOptions extends SendOptions {
  /** What the work is taken to last: the tenant's later jobs come after those of others that are due meanwhile. */
  lastsMs?: number;
}

export type JobHandler<T> = (jobs: JobWithMetadata<T>[]) => Promise<void | JobResult[]>;
export const JOBS_SCHEMA = 'pgboss';

/** The look for jobs of a killed process is as frequent as their heartbeats allow. */
const ABANDONED_EVERY_MS = 5_000;
/** Jobs that ran out of their time, or whose process gave no sign of life for too long. */
const ABANDONED = `exists (select from ${JOBS_SCHEMA}.job where state = 'active'
  and (heartbeat_on + heartbeat_seconds * interval '1s' < now() or started_on + expire_seconds * interval '1s' < now()))`;
/** Counts and retention. */
const SUPERVISE_SECONDS = 30;

/**
 * Durable background work on PostgreSQL (pg-boss). A job is sent inside the unit of work whose effect it follows, so it
 * exists exactly when the effect does. Job data holds ids, never content. Workers fetch as svc_operator and enter the
 * tenant's unit of work themselves.
 */
export class Jobs implements OnModuleInit {
  private readonly boss: PgBoss;
  private failing = false;
  private readonly dueTimes = new Map<QueueName, DueTimes>();

  constructor(
    private readonly settings: Settings,
    private readonly tenancy: Tenancy,
    private readonly log: Log,
    private readonly dueWork: DueWork,
    database: Db,
  ) {
    this.boss = new PgBoss({
      db: database,
      schema: JOBS_SCHEMA,
      migrate: false,
      createSchema: false,
      supervise: settings.jobs.enabled,
      schedule: false,
      useListenNotify: settings.jobs.enabled,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      // Also of the passes in between, for what was abandoned.
      monitorIntervalSeconds: ABANDONED_EVERY_MS / 1000,
      // No job waits for another.
      flowIntervalSeconds: 3600,
      reindex: false,
    });
    this.boss.on('error', (failure) => this.reportError(asError(failure)));
    this.boss.on('warning', (warning) => log.debug({ warning: warning.message }, 'job queue warning'));
  }

  /** Whether this process works on jobs, or only sends them. */
  get working(): boolean {
    return this.settings.jobs.enabled;
  }

  async onModuleInit(): Promise<void> {
    await this.boss.start();
    if (this.working) this.dueWork.when(() => ABANDONED, this.giveUpAbandoned, { everyMs: ABANDONED_EVERY_MS });
  }

  /** Adds a job inside the open unit of work. */
  async send<Data extends JobData>(queue: QueueName, data: Data, options: JobOptions = {}): Promise<void> {
    await this.sendBy((sql, parameters) => this.tenancy.query(sql, parameters), queue, { data, options });
  }

  /** Adds a job inside the transaction of a query: one that {@link CrossTenant} opened. */
  async sendBy<Data extends JobData>(
    query: Query,
    queue: QueueName,
    job: { data: Data; options?: JobOptions },
  ): Promise<void> {
    const db = {
      executeSql: async (text: string, values?: unknown[]) => ({ rows: await query<unknown>(text, values) }),
    };
    const traceparent = currentTraceparent();
    const data = traceparent === undefined ? job.data : { ...job.data, traceparent };
    await this.boss.send(queue, data, { ...this.turnOf(queue, job), db });
  }

  /**
   * Registers the worker of a queue; does nothing in a process that only sends. Workers wake by NOTIFY, and by the look
   * for due work where a retry has come due.
   */
  async work<T>(queue: QueueName, options: WorkOptions, handler: JobHandler<T>): Promise<void> {
    if (!this.working) return;
    await this.boss.work<T>(
      queue,
      {
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: FALLBACK_MS / 1000,
        ...options,
        includeMetadata: true,
      },
      async (jobs: Job<T>[]) => traced(...spanOf(queue, jobs), () => handler(jobs as JobWithMetadata<T>[])),
    );
  }

  /** Jobs waiting or being worked on, by queue. */
  async depth(queue: QueueName): Promise<{ queued: number; active: number }> {
    const found = await this.boss.getQueue(queue);
    return { queued: found?.queuedCount ?? 0, active: found?.activeCount ?? 0 };
  }

  /**
   * Waits for the jobs in progress for as long as the drain allows; one that is cut off is resumed elsewhere after its
   * heartbeat.
   */
  async stop(): Promise<void> {
    await this.boss.stop({ graceful: true, timeout: this.settings.process.drainSeconds * 1000 });
  }

  /** The tenant, of whose jobs a worker may do so many at once, and its turn among the others of the queue. */
  private turnOf(
    queue: QueueName,
    { data: { tenantId }, options = {} }: { data: JobData; options?: JobOptions },
  ): SendOptions {
    const { lastsMs, ...others } = options;
    const group = { id: tenantId };
    if (lastsMs === undefined) return { group, ...others };
    const times = this.dueTimes.get(queue) ?? new DueTimes();
    this.dueTimes.set(queue, times);
    return { group, priority: times.next(tenantId, lastsMs), ...others };
  }

  private readonly giveUpAbandoned = (): void =>
    void this.boss.supervise().catch((failure: unknown) => this.reportError(asError(failure as object)));

  /** A lost database would otherwise log twice a second from every worker. */
  private reportError(error: Error): void {
    const away = isDatabaseUnavailable(error);
    if (!away || !this.failing) this.log.error({ error }, away ? 'job queue lost the database' : 'job queue error');
    this.failing = away;
  }
}

/** A worker's failure arrives as a plain copy of the error, together with the worker's names. */
const asError = (failure: object): Error => (failure instanceof Error ? failure : Object.assign(new Error(), failure));

/** In the trace of who sent the first of them. */
const spanOf = (queue: QueueName, jobs: readonly Job<unknown>[]): [string, SpanOptions] => [
  `process ${queue}`,
  {
    kind: SpanKind.CONSUMER,
    attributes: {
      ...{ 'messaging.system': 'pg-boss', 'messaging.operation.type': 'process', 'messaging.destination.name': queue },
      'messaging.batch.message_count': jobs.length,
    },
    parent: (jobs[0]?.data as { traceparent?: unknown } | undefined)?.traceparent ?? '',
  },
];
