import { Client } from 'pg';
import { expect } from 'vitest';
import { asSuperuser, type TestDatabase } from './database.js';

/** A transaction that holds a lock. */
export interface HeldLock {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
  /** As {@link waitForBlocked}. */
  waitForBlocked(count: number, having?: string): Promise<void>;
  commit(): Promise<unknown>;
}

/** Holds what a statement locks, as the superuser, until the work commits it or ends. */
export async function whileLocked(
  database: TestDatabase,
  lock: string,
  work: (held: HeldLock) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    await client.query(`begin; ${lock}`);
    await work({
      query: (sql, parameters) => client.query(sql, parameters),
      waitForBlocked: (count, having) => waitForBlocked(database, count, having),
      commit: () => client.query('commit'),
    });
  } finally {
    await client.end();
  }
}

/**
 * Waits until so many statements, or more, wait for a lock. By a connection of its own: a transaction sees what others
 * do as it was when it looked first.
 * @param having a part of their text
 */
export async function waitForBlocked(database: TestDatabase, count: number, having = ''): Promise<void> {
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%${having}%'`;
  // Work in the background may wait for the same lock.
  const waiting = async () => (await asSuperuser(database, blocked)).length;
  await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
}
