import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Checkpoint, parseCheckpoint, verifyCheckpoint } from '../../evidence/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LOG, type Log } from '../observability/log.js';
import { type ScheduledWork, Scheduler } from '../scheduler/scheduler.js';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { type CheckpointFolder, checkpointFolder } from './checkpoint-folder.js';
import { findKeptFault } from './kept-checkpoints.js';
import { KnownKeys } from './known-keys.js';
import { LogReader } from './log-reader.js';

const EVERY_MS = 5_000;
/** How long the end of a process waits for its last one. */
const LAST_MS = 2_000;

/**
 * Keeps the last checkpoints of the log outside the database. Where the log does not extend what is kept, nothing more
 * is kept: what shows that the log was set back or rewritten stays. The log itself goes on; readiness fails.
 */
@Injectable()
export class CheckpointKeeper implements OnApplicationBootstrap {
  readonly folder: CheckpointFolder;
  private work: ScheduledWork | undefined;
  /** The newest checkpoint that was looked at. */
  private last: string | undefined;
  private fault: string | undefined;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    readonly knownKeys: KnownKeys,
  ) {
    this.folder = checkpointFolder(settings);
  }

  onApplicationBootstrap(): void {
    const options = { isStoppedByOwner: true };
    this.work = this.scheduler.every('checkpoint_keeper', EVERY_MS, () => this.keep(), options);
  }

  /** Keeps the last one of this process. Called when nothing extends the log any more. */
  async stop(): Promise<void> {
    const last = async (): Promise<void> => {
      await this.work?.stop();
      await this.keep();
    };
    const late = sleep(LAST_MS, 'the database does not answer', { ref: false });
    const fault = await Promise.race([late, last().catch((error: unknown) => error)]);
    if (fault !== undefined) this.log.warn({ fault }, 'the last checkpoint was not kept outside the database');
  }

  /** Keeps the current checkpoint, unless it is kept already. */
  async keep(): Promise<void> {
    await this.crossTenant.run('keep checkpoint', (query) => this.keepNewest(query));
  }

  private async keepNewest(query: Query): Promise<void> {
    const head = await new LogReader(query).findHead();
    if (!head || head.checkpoint === this.last) return;
    const fault = await findKeptFault(query, this, this.last === undefined);
    if (fault !== undefined && fault !== this.fault)
      this.log.error({ fault }, 'the log does not extend a checkpoint that was kept');
    this.fault = fault;
    const checkpoint = parseCheckpoint(head.checkpoint);
    if (fault !== undefined || !(await this.isOfLog(checkpoint, query))) return;
    await this.folder.write(checkpoint.origin, checkpoint.size, head.checkpoint);
    this.last = head.checkpoint;
  }

  /** Only what the log's key signed over what the tiles make is worth keeping. */
  private async isOfLog(checkpoint: Checkpoint, query: Query): Promise<boolean> {
    const [root] = await new LogReader(query).rootsAt([checkpoint.size]);
    const known = await this.knownKeys.read(query);
    const isSigned = known.some(({ key, terms }) => terms.has('log') && verifyCheckpoint(checkpoint, key));
    return isSigned && Buffer.compare(checkpoint.root, root!) === 0;
  }
}
