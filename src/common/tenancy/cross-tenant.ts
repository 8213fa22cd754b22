import type { DataSource } from 'typeorm';
import type { Counter } from 'prom-client';
import { rowsOf } from './tenancy.js';

export type Query = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** The only access to rows of more than one tenant: the role svc_operator, in a transaction, counted by reason. */
export class CrossTenant {
  constructor(
    private readonly dataSource: DataSource,
    private readonly counter: Counter<'reason'>,
  ) {}

  /** @param reason a constant word or two that says what for; it becomes a metric label */
  run<T>(reason: string, work: (query: Query) => Promise<T>): Promise<T> {
    this.counter.inc({ reason });
    return this.dataSource.transaction((manager) =>
      work(async <Row>(sql: string, parameters: unknown[] = []) => rowsOf<Row>(await manager.query(sql, parameters))),
    );
  }
}
