import { AsyncLocalStorage } from 'node:async_hooks';
import { escapeLiteral, type Pool, type PoolClient, type QueryConfig } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import type { Log } from '../observability/log.js';
import { poolOf } from '../database/pool-of.js';
import type { ReadReplica } from '../database/read-replica.js';
import { allOf } from '../workers/all-of.js';
import { mayReadReplica } from './reading.js';
import type { WriteLimit } from './write-limit.js';
import { sha256 } from '../../evidence/sha256.js';

/** What follows the end of a unit of work. */
interface Following {
  afterCommit: (() => void)[];
  afterRollback: (() => Promise<void>)[];
}

interface Begun extends Following {
  tenant: string;
}

interface UnitOfWork extends Begun {
  manager: EntityManager;
  /** Statements that nobody waits for, in their order. */
  sent: Promise<unknown>[];
}

/** The unit of work: one tenant, one transaction, as the role svc_app. Every store reads its manager from here. */
export class Tenancy {
  private readonly current = new AsyncLocalStorage<UnitOfWork>();
  private readonly names = new Map<string, string>();

  constructor(
    private readonly dataSource: DataSource,
    /** Whether statements may be prepared: a pooler in transaction mode gives each transaction another session. */
    private readonly prepares: boolean,
    private readonly writes: WriteLimit,
    private readonly log: Log,
    private readonly replica?: ReadReplica,
  ) {}

  /**
   * Runs `work` as `tenant`; PostgreSQL itself refuses rows of any other tenant. Joins a unit of work that is already
   * open for the same tenant. That of a GET may be done at the read replica, and is begun again at the primary when the
   * replica's database does not do it.
   */
  run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    return this.runAt('READ COMMITTED', tenant, work);
  }

  /**
   * The same for what reads in several statements what was true at one moment. A row that it changes and another one
   * changed since fails it.
   */
  runOnSnapshot<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    return this.runAt('REPEATABLE READ', tenant, work);
  }

  private async runAt<T>(isolation: IsolationLevel, tenant: string, work: () => Promise<T>): Promise<T> {
    const open = this.current.getStore();
    if (open) {
      if (open.tenant !== tenant) throw new Error('A unit of work of another tenant is open');
      return work();
    }
    const read = mayReadReplica()
      ? await this.complete((following) => this.readFromReplica(isolation, { tenant, ...following }, work))
      : undefined;
    if (read) return read.result;
    return this.complete((following) =>
      this.writes.run(() => this.transact(isolation, { tenant, ...following }, work), tenant),
    );
  }

  /**
   * As DataSource.transaction, but that it begins in the round trip of its first statement and ends in that of its
   * last.
   */
  private async transact<T>(isolation: IsolationLevel, begun: Begun, work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const sent: Promise<unknown>[] = [];
    try {
      const client = (await runner.connect()) as PoolClient;
      send(
        sent,
        client.query(
          `start transaction isolation level ${isolation}; select set_config('svc.tenant_id', ${escapeLiteral(begun.tenant)}, true)`,
        ),
      );
      // Commit, rollback and the saving of entities look at it.
      Object.assign(runner, { isTransactionActive: true });
      const result = await this.current.run({ ...begun, manager: runner.manager, sent }, work);
      // After a statement that failed, a commit rolls back.
      send(sent, runner.commitTransaction());
      await allOf(sent);
      return result;
    } catch (error) {
      // What failed first is what the caller must see: the statements after it were rejected because of it. Where no
      // transaction began there is none to roll back.
      const first = await allOf(sent).catch((failure: unknown) => failure);
      await runner.rollbackTransaction().catch(() => undefined);
      throw first ?? error;
    } finally {
      await runner.release();
    }
  }

  /** Makes what is to follow a unit of work follow it. */
  private async complete<T>(attempt: (following: Following) => Promise<T>): Promise<T> {
    const following: Following = { afterCommit: [], afterRollback: [] };
    let result: T;
    try {
      result = await attempt(following);
    } catch (error) {
      for (const follow of following.afterRollback) await follow().catch(this.noteFault);
      throw error;
    }
    for (const follow of following.afterCommit)
      try {
        follow();
      } catch (fault) {
        this.noteFault(fault);
      }
    return result;
  }

  /** The unit is committed, or ended by an error that its caller must see: what fails after it changes neither. */
  private readonly noteFault = (error: unknown): void => {
    this.log.error({ error }, 'what follows a unit of work failed');
  };

  /** @returns nothing when the primary is to do it, and what would have followed */
  private async readFromReplica<T>(
    isolation: IsolationLevel,
    begun: Begun,
    work: () => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    const read = await this.replica?.transaction(isolation, (manager) =>
      this.begin({ ...begun, manager, sent: [] }, work),
    );
    if (!read) begun.afterCommit.length = 0;
    return read;
  }

  private async begin<T>(unit: UnitOfWork, work: () => Promise<T>): Promise<T> {
    await unit.manager.query(`select set_config('svc.tenant_id', $1, true)`, [unit.tenant]);
    const result = await this.current.run(unit, work);
    await allOf(unit.sent);
    return result;
  }

  /**
   * Does part of the open unit of work as another tenant, in the same transaction: PostgreSQL shows and takes that
   * tenant's rows alone meanwhile. For making a tenant with all that belongs to it as one effect, and for holding what
   * a tenant shares against its own receipts; whatever else a request does stays with its own tenant.
   */
  async enter<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const outer = this.unit();
    const set = (value: string) => outer.manager.query(`select set_config('svc.tenant_id', $1, true)`, [value]);
    await set(tenant);
    let result: T;
    try {
      result = await this.current.run({ ...outer, tenant }, work);
    } catch (error) {
      // After a failed statement the transaction takes no other and rolls back whole; the failure itself is what the
      // caller must see.
      await set(outer.tenant).catch(() => undefined);
      throw error;
    }
    await set(outer.tenant);
    return result;
  }

  /** Does what is no part of the open unit of work, which stays open meanwhile. */
  apart<T>(work: () => T): T {
    return this.current.exit(work);
  }

  get manager(): EntityManager {
    return this.unit().manager;
  }

  get isOpen(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** The tenant of the open unit of work. */
  get tenant(): string {
    return this.unit().tenant;
  }

  /** One statement in the open unit of work; its rows. */
  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const result = (await this.manager.query(sql, parameters)) as unknown;
    return rowsOf<Row>(result);
  }

  /**
   * One statement in the open unit of work whose rows nobody needs: it is sent, and not waited for. The unit ends once
   * it has succeeded, or rolls back with its error.
   */
  send(sql: string, parameters: unknown[] = []): void {
    send(this.unit().sent, this.query(sql, parameters));
  }

  /**
   * Until the open unit of work ends, no other of the tenant locks the same name. What the next statement reads is as
   * it is once the lock is held.
   */
  async lock(what: string, ...which: string[]): Promise<void> {
    await this.query(LOCK, [lockKeyOf(this.tenant, what, ...which)]);
  }

  /** The same for what others may lock so too. */
  async lockShared(name: string): Promise<void> {
    await this.query(LOCK_SHARED, [lockKeyOf(this.tenant, name)]);
  }

  /** Runs once the open unit of work is committed; never when it rolls back. */
  afterCommit(follow: () => void): void {
    this.unit().afterCommit.push(follow);
  }

  /**
   * Runs when the open unit of work is rolled back, outside of it and before its caller learns of it: for what must be
   * kept of a refusal.
   */
  afterRollback(follow: () => Promise<void>): void {
    this.unit().afterRollback.push(follow);
  }

  /**
   * One statement on its own, in one round trip, as a prepared statement. It sees no tenant's rows unless it calls an
   * SQL function that sets the tenant for its own transaction: the hot reads do. What writes goes through {@link
   * write}.
   */
  async call<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query(this.statement(sql, parameters));
    return rows as Row[];
  }

  /**
   * The same for a statement that only reads, and what a tenant stored: the read replica may answer it. Whether a
   * credential holds is asked by {@link call}.
   */
  async read<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const rows = await this.replica?.query<Row>(this.statement(sql, parameters));
    return rows ?? this.call<Row>(sql, parameters);
  }

  /**
   * The same for a statement that writes: it takes one of the places for writes, unless a unit of work is open, which
   * has one.
   * @param tenant whose it is, where it is a tenant's
   */
  write<Row>(sql: string, parameters: unknown[] = [], tenant?: string): Promise<Row[]> {
    const call = (): Promise<Row[]> => this.call<Row>(sql, parameters);
    return this.isOpen ? call() : this.writes.run(call, tenant);
  }

  /** The same of what is written with the open unit of work, where there is one. */
  execute<Row>(sql: string, parameters: unknown[], tenant: string): Promise<Row[]> {
    return this.isOpen ? this.query<Row>(sql, parameters) : this.write<Row>(sql, parameters, tenant);
  }

  /** The driver's connections, for the metrics. */
  get pool(): Pool {
    return poolOf(this.dataSource);
  }

  private statement(text: string, values: unknown[]): QueryConfig {
    const name = this.prepares ? (this.names.get(text) ?? this.nameFor(text)) : undefined;
    return { ...(name ? { name } : {}), text, values };
  }

  private nameFor(sql: string): string {
    const name = `svc_${sha256(sql).toString('hex').slice(0, 24)}`;
    this.names.set(sql, name);
    return name;
  }

  private unit(): UnitOfWork {
    const unit = this.current.getStore();
    if (!unit) throw new Error('No unit of work is open: call Tenancy.run first');
    return unit;
  }
}

/** Its failure is seen by {@link allOf}, and not as one that nobody handles. */
function send(sent: Promise<unknown>[], statement: Promise<unknown>): void {
  statement.catch(() => undefined);
  sent.push(statement);
}

const KEY = 'hashtextextended($1::jsonb::text, 0)';
/** Takes a lock by its key, until the transaction ends. */
export const LOCK = `select pg_advisory_xact_lock(${KEY})`;
export const LOCK_SHARED = `select pg_advisory_xact_lock_shared(${KEY})`;

/** What {@link Tenancy.lock} locks for a tenant, as {@link LOCK} takes it. */
export const lockKeyOf = (tenant: string, what: string, ...which: string[]): string =>
  JSON.stringify([what, tenant, ...which]);

/** TypeORM answers [rows, count] for UPDATE and DELETE, and rows otherwise. */
export function rowsOf<Row>(result: unknown): Row[] {
  const pair = result as [Row[], number];
  return Array.isArray(result) && result.length === 2 && Array.isArray(pair[0]) && typeof pair[1] === 'number'
    ? pair[0]
    : (result as Row[]);
}
