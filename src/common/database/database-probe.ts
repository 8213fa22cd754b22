import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { CHECK_TIMEOUT_MS } from '../health/check-run.js';
import { databaseFault, ROLE_FACTS, roleFault, type RoleFacts } from './role-proof.js';

/** Shorter than what readiness waits for a check, so that the reason is reported. */
const TIMEOUT_MS = 1_000;

/**
 * A record in the write-ahead log that touches no table: its commit goes to the disk and to synchronous standbys like
 * the others.
 */
const WRITE = `select pg_logical_emit_message(true, 'svc', 'readiness')`;
/** Such a transaction takes the record all the same. Managed services set it, as where the disk is full. */
const READ_ONLY = `select current_setting('default_transaction_read_only')::boolean as read_only`;
const HELD_BACK = `select count(*)::int as count from pg_stat_activity where usename = current_user and wait_event = 'SyncRep'`;

/** `held back`: commits wait for a synchronous standby that is away; reads go on. */
type WriteState = 'done' | 'held back' | 'late';

export const HELD_BACK_REASON = 'commits held back: a synchronous standby is away; reads are served';

/** What readiness of every app asks of its own connections. */
@Injectable()
export class DatabaseProbe {
  private writing: Promise<unknown> | undefined;
  private state: WriteState = 'done';

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'svc_commits_held_back',
      '1 while commits wait for a synchronous standby that is away.',
      [],
      async (gauge) => {
        // Whoever asks for metrics alone learns it too; a database that does not answer keeps no scrape waiting.
        const looked = this.findWriteFault().catch(() => undefined);
        await Promise.race([looked, sleep(CHECK_TIMEOUT_MS, undefined, { ref: false })]);
        gauge.set(this.isHeldBack ? 1 : 0);
      },
    );
  }

  /** As of the last write. */
  get isHeldBack(): boolean {
    return this.state === 'held back';
  }

  /** Also of a connection that proved itself when it began: rights can be given later. */
  async findRoleFault(): Promise<string | undefined> {
    const [app] = await this.tenancy.call<RoleFacts>(ROLE_FACTS);
    const [operator] = await this.crossTenant.run('readiness', (query) => query<RoleFacts>(ROLE_FACTS));
    const fault = roleFault('svc_app', app) ?? roleFault('svc_operator', operator);
    return fault ?? databaseFault(app?.database, operator?.database);
  }

  /**
   * Commits a write; one that hangs is waited for, and no second is begun meanwhile.
   * @returns what is wrong; nothing while commits are held back, for reads are served
   * @throws what the database says
   */
  async findWriteFault(): Promise<string | undefined> {
    const [row] = await this.tenancy.call<{ read_only: boolean }>(READ_ONLY);
    if (row?.read_only) return 'the database is read-only (default_transaction_read_only is on)';
    this.state = await this.write();
    return this.state === 'late' ? 'a write does not commit' : undefined;
  }

  private async write(): Promise<WriteState> {
    this.writing ??= this.tenancy.write(WRITE).finally(() => (this.writing = undefined));
    this.writing.catch(() => undefined);
    const isDone = await Promise.race([this.writing.then(() => true), sleep(TIMEOUT_MS, false, { ref: false })]);
    if (isDone) return 'done';
    const [row] = await this.tenancy.call<{ count: number }>(HELD_BACK);
    return row && row.count > 0 ? 'held back' : 'late';
  }
}
