import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Pool, type PoolClient, type QueryConfig } from 'pg';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import type { Counter } from 'prom-client';
import type { Log } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { poolOf } from './pool-of.js';
import { isDatabaseUnavailable } from './unavailable.js';
import { hasReached, parseLsn, timelineOf, type WalPosition } from './wal-position.rules.js';

export interface ReplicaOptions {
  log: Log;
  metrics: Metrics;
  /** The connections to the primary, for its position. */
  primary: Pool;
  makeSource: () => DataSource;
  /** How long a read waits for the replica to have replayed what was acknowledged, in milliseconds. */
  waitMs: number;
}

/** What the primary is asked instead of a replica that was away or behind, until the replica is looked at again. */
const PAUSE_MS = 1_000;
const MAX_POLL_MS = 20;

/** All that was acknowledged by now is before it: a commit is acknowledged once it is flushed. */
const POSITION = `select pg_current_wal_flush_lsn()::text as lsn, pg_walfile_name(pg_current_wal_flush_lsn()) as file`;
/** The timeline is that of the last restart point: later than the true one, never earlier than it may be believed. */
const REPLAYED = `select pg_last_wal_replay_lsn()::text as lsn, (pg_control_checkpoint()).timeline_id as timeline`;

/**
 * Reads from a streaming standby that see all that was acknowledged before they began, by whatever process: the primary
 * is asked where its log ends, and the standby answers once it has replayed it that far (docs/decisions/0361). What it
 * cannot answer, for whatever reason, is left to the primary.
 */
export class ReadReplica {
  private readonly reads: Counter<'outcome'>;
  private source: DataSource | undefined;
  private isOpen = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  /** How far each connection's server was seen to have come; it never goes back. */
  private readonly replayed = new WeakMap<object, WalPosition>();
  private asking: Promise<unknown> = Promise.resolve();
  private next: Promise<WalPosition> | undefined;

  constructor(private readonly options: ReplicaOptions) {
    const { metrics } = options;
    this.reads = metrics.counter(
      'svc_replica_reads_total',
      'Reads that a replica may answer: replica where it did, primary where it was away or behind or could not.',
      ['outcome'],
    );
    metrics.gauge('svc_replica_serving', '1 while reads go to the read replica.', [], (gauge) =>
      gauge.set(this.isOpen ? 1 : 0),
    );
    void this.look();
  }

  /** @returns nothing when the primary is to be asked; then `work` may have run, and failed in the database */
  transaction<T>(
    isolation: IsolationLevel,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    return this.attempt(async (source, position) => {
      const runner = source.createQueryRunner();
      try {
        if (!(await this.isCaughtUp((await runner.connect()) as PoolClient, position))) return undefined;
        await runner.startTransaction(isolation);
        try {
          const result = await work(runner.manager);
          await runner.commitTransaction();
          return { result };
        } catch (error) {
          await runner.rollbackTransaction().catch(() => undefined);
          throw error;
        }
      } finally {
        await runner.release();
      }
    });
  }

  /** @returns nothing when the primary is to be asked */
  async query<Row extends object>(statement: QueryConfig): Promise<Row[] | undefined> {
    const read = await this.attempt(async (source, position) => {
      const client = await poolOf(source).connect();
      try {
        if (!(await this.isCaughtUp(client, position))) return undefined;
        return { result: (await client.query<Row>(statement)).rows };
      } finally {
        client.release();
      }
    });
    return read?.result;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.isOpen = false;
    clearTimeout(this.timer);
    if (this.source?.isInitialized) await this.source.destroy();
  }

  private async attempt<T>(
    work: (source: DataSource, position: WalPosition) => Promise<{ result: T } | undefined>,
  ): Promise<{ result: T } | undefined> {
    const read = this.isOpen ? await this.readFrom(this.source!, work) : undefined;
    this.reads.inc({ outcome: read ? 'replica' : 'primary' });
    return read;
  }

  private async readFrom<T>(
    source: DataSource,
    work: (source: DataSource, position: WalPosition) => Promise<{ result: T } | undefined>,
  ): Promise<{ result: T } | undefined> {
    const position = await this.readPosition();
    try {
      const read = await work(source, position);
      if (!read) this.pause('is behind');
      return read;
    } catch (error) {
      if (!isOfDatabase(error)) throw error;
      // A statement that a standby does not take, or that its replay cancelled, is no reason to leave it.
      if (isDatabaseUnavailable(error) && stateOf(error) === undefined) this.pause('does not answer');
      return undefined;
    }
  }

  /**
   * Where the primary's log ends, as of a moment after the call. One question is on the way at a time; all who come
   * meanwhile share the next one.
   */
  private readPosition(): Promise<WalPosition> {
    this.next ??= this.asking.then(async () => {
      const position = this.askPrimary();
      this.asking = position.catch(() => undefined);
      this.next = undefined;
      return position;
    });
    return this.next;
  }

  private async askPrimary(): Promise<WalPosition> {
    const { rows } = await this.options.primary.query<{ lsn: string; file: string }>(POSITION);
    return { lsn: parseLsn(rows[0]!.lsn), timeline: timelineOf(rows[0]!.file) };
  }

  private async isCaughtUp(client: PoolClient, position: WalPosition): Promise<boolean> {
    const known = this.replayed.get(client);
    if (known && hasReached(known, position)) return true;
    const deadline = performance.now() + this.options.waitMs;
    for (let pause = 1; ; pause = Math.min(2 * pause, MAX_POLL_MS)) {
      const { rows } = await client.query<{ lsn: string | null; timeline: number }>(REPLAYED);
      const { lsn, timeline } = rows[0]!;
      const replayed = { lsn: lsn === null ? -1n : parseLsn(lsn), timeline };
      this.replayed.set(client, replayed);
      if (hasReached(replayed, position)) return true;
      if (timeline !== position.timeline || performance.now() > deadline) return false;
      await sleep(pause);
    }
  }

  private pause(why: string): void {
    if (this.isOpen) this.options.log.warn(`the read replica ${why}; reads go to the primary`);
    this.isOpen = false;
    this.lookLater();
  }

  private lookLater(): void {
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => void this.look(), PAUSE_MS).unref();
  }

  /** Opens the replica where it answers and has caught up. */
  private async look(): Promise<void> {
    try {
      this.source ??= await this.connect();
      const position = await this.readPosition();
      const client = await poolOf(this.source).connect();
      const isCaughtUp = await this.isCaughtUp(client, position).finally(() => client.release());
      if (!isCaughtUp || this.isClosed) return this.lookLater();
      this.isOpen = true;
      this.options.log.info('reads go to the replica');
    } catch (error) {
      this.options.log.debug({ error }, 'the read replica cannot be used');
      this.lookLater();
    }
  }

  private async connect(): Promise<DataSource> {
    const source = await this.options.makeSource().initialize();
    if (this.isClosed) await source.destroy();
    return source;
  }
}

const isOfDatabase = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof QueryFailedError || isDatabaseUnavailable(error);

/** The SQLSTATE of what the server itself answered and goes on after; undefined where the connection is gone. */
function stateOf(error: unknown): string | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const state = cause instanceof DatabaseError ? cause.code : undefined;
  return state && /^(08|57P)/.test(state) ? undefined : state;
}
