import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { uuid } from '../ids/uuid.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DATABASE_ADDRESS, type DatabaseAddress } from '../database/connection.js';
import { LOG, type Log } from '../observability/log.js';
import { DueWork, FALLBACK_MS } from '../scheduler/due-work.js';
import { Scheduler, type ScheduledWork } from '../scheduler/scheduler.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { runScrub } from './scrub-run.js';

const EVERY_MS = 5_000;
const OPEN = 'select from scrub where finished_at is null limit 1';

/** Has files rewritten that hold bytes of what was removed. Every process looks; one at a time works. */
@Injectable()
export class ScrubSweep implements OnApplicationBootstrap {
  private work?: ScheduledWork;
  private said = '';

  constructor(
    private readonly scheduler: Scheduler,
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(DATABASE_ADDRESS) private readonly address: DatabaseAddress,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.settings.jobs.enabled) return;
    this.work = this.scheduler.every('scrub', FALLBACK_MS, () => this.sweep());
    this.dueWork.when(
      () => `exists (${OPEN})`,
      () => this.wake(),
      { everyMs: EVERY_MS },
    );
  }

  /** After the commit that asked for it. */
  wake(): void {
    this.work?.wake();
  }

  async sweep(): Promise<void> {
    const open = await this.crossTenant.run('scrub', (query) => query(OPEN));
    if (open.length === 0) return;
    const { dataDir } = this.settings.process;
    const outcome = await runScrub(this.address, { dataDir, isStopped: () => this.work?.isStopped ?? false });
    if (outcome?.waitsFor && outcome.waitsFor !== this.said)
      this.log.warn({ waits_for: outcome.waitsFor }, 'an erasure is removed and not yet scrubbed');
    if (outcome) this.said = outcome.waitsFor ?? '';
  }
}

/** Asks for it, in the open transaction. @returns its id */
export async function requestScrub(query: Query, reason: 'subject' | 'tenant' | 'restore'): Promise<string> {
  const scrubId = uuid();
  await query('insert into scrub (scrub_id, reason) values ($1, $2)', [scrubId, reason]);
  return scrubId;
}
