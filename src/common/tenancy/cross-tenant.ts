import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import type { Counter } from 'prom-client';
import { rowsOf } from './tenancy.js';
import type { WriteLimit } from './write-limit.js';

export type Query = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** The only access to rows of more than one tenant: the role svc_operator, in a transaction, counted by reason. */
export class CrossTenant {
  private readonly open = new AsyncLocalStorage<true>();

  /** @param writes what does not belong to a read takes its place there; without it each takes a connection */
  constructor(
    private readonly dataSource: DataSource,
    private readonly counter: Counter<'reason'>,
    private readonly writes?: WriteLimit,
  ) {}

  /** @param reason a constant word or two that says what for; it becomes a metric label */
  run<T>(reason: string, work: (query: Query) => Promise<T>): Promise<T> {
    this.counter.inc({ reason });
    const transaction = (): Promise<T> =>
      this.dataSource.transaction((manager) =>
        work(async <Row>(sql: string, parameters: unknown[] = []) => rowsOf<Row>(await manager.query(sql, parameters))),
      );
    // One within another must not wait for the place that the other has.
    if (!this.writes || this.open.getStore()) return transaction();
    return this.writes.run(() => this.open.run(true, transaction));
  }
}
