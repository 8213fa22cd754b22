import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { isCanceled, isDatabaseUnavailable } from '../database/unavailable.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { Scheduler, type ScheduledWork } from './scheduler.js';

/** What nobody announces waits this long at most: work that came due, and what a process left that was killed. */
const TICK_MS = 500;
/** Of work that is looked for here: a second line, should a look have missed it. */
export const FALLBACK_MS = 60_000;

interface Kind {
  readonly query: () => string;
  readonly begin: (found: readonly string[]) => void;
  readonly everyMs: number;
  /** By performance.now(). */
  nextAt: number;
}

export interface LookOptions {
  /** Longest wait before it is looked for; without it, it is looked for each time. */
  everyMs?: number;
}

/**
 * Looks for work that comes due without a notification: one statement asks for all kinds of a process, so that an idle
 * one costs the database one transaction a look.
 */
@Injectable()
export class DueWork {
  private readonly kinds = new Set<Kind>();
  private readonly tickMs: number;
  private work: ScheduledWork | undefined;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
  ) {
    this.tickMs = Math.min(TICK_MS, settings.evidence.logIntervalMs);
  }

  /**
   * @param condition SQL that is true while there is such work, cheap where there is none; evaluated as svc_operator
   * @param begin called at each look that finds some
   * @returns how to stop
   */
  when(condition: () => string, begin: () => void, options: LookOptions = {}): () => void {
    return this.names(
      () => `select 'due' where ${condition()}`,
      () => begin(),
      options,
    );
  }

  /**
   * @param query SQL of one column of text that names what is due; evaluated as svc_operator
   * @param begin called with the names at each look that finds some
   * @returns how to stop
   */
  names(
    query: () => string,
    begin: (found: readonly string[]) => void,
    { everyMs = this.tickMs }: LookOptions = {},
  ): () => void {
    const kind = { query, begin, everyMs, nextAt: -Infinity };
    this.kinds.add(kind);
    this.work ??= this.scheduler.every('due_work', this.tickMs, () => this.look(), { isStoppedByOwner: true });
    return () => this.kinds.delete(kind);
  }

  /** Stopped after what it wakes: receipts of the last requests are still to get into the log. */
  async stop(): Promise<void> {
    await this.work?.stop();
  }

  /** Where one statement for all fails, each kind is looked for alone: one that fails keeps no other waiting. */
  private async look(): Promise<void> {
    const now = performance.now();
    const kinds = [...this.kinds].filter(({ nextAt }) => now >= nextAt);
    // Rather a look too early than one too late.
    for (const kind of kinds) kind.nextAt = now + kind.everyMs - this.tickMs;
    try {
      await this.lookFor(kinds);
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isCanceled(error)) throw error;
      const looks = kinds.map((kind) => this.lookFor([kind]));
      const failed = (await Promise.allSettled(looks)).find(({ status }) => status === 'rejected');
      if (failed) throw error;
    }
  }

  private async lookFor(kinds: readonly Kind[]): Promise<void> {
    if (kinds.length === 0) return;
    const columns = kinds.map(({ query }, n) => `array(${query()}) as k${n}`);
    const [row] = await this.crossTenant.run('due work', (query) =>
      query<Record<string, string[]>>(`select ${columns.join(', ')}`),
    );
    for (const [n, { begin }] of kinds.entries()) {
      const found = row?.[`k${n}`] ?? [];
      if (found.length > 0) begin(found);
    }
  }
}
