import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { DatabaseProbe, HELD_BACK_REASON } from '../../../../common/database/database-probe.js';
import { type CheckpointFolder, checkpointFolder } from '../../../../common/evidence-log/checkpoint-folder.js';
import { findKeptFault } from '../../../../common/evidence-log/kept-checkpoints.js';
import { KeyRing } from '../../../../common/evidence-log/key-ring.js';
import { KnownKeys } from '../../../../common/evidence-log/known-keys.js';
import { lateAfterMs, LogProgress } from '../../../../common/evidence-log/log-progress.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import {
  describeUnchained,
  findLogFault,
  findPeerLogs,
  findOpenTables,
  describeLook,
  findMigrationsFault,
  findStanding,
  FIRST_HEAD,
  sampleHeads,
  type HeadCursor,
} from '../evidence-checks.js';
import { OperatorLook } from '../operator-look.js';
import { describeUnpinned } from '../../../../common/legal-holds/pinned-tables.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

const HOLDS = 'roles, schema, row-level security, legal holds, log, signing key and chains hold, and writes commit';

/**
 * Whether what the daemon's evidence rests on holds: schema, row-level security, triggers of legal holds, log, signing
 * key, chains of receipts, that the log takes what waits for it and extends what was kept of it outside the database,
 * and that the logs of peers only grow.
 */
@Injectable()
export class ControlEvidenceGate implements Gate {
  readonly name = 'control_evidence_ok';
  private heads: HeadCursor = FIRST_HEAD;
  readonly folder: CheckpointFolder;
  /** Whether every kept checkpoint held at the last look: then the newest ones are enough. */
  private hasKept = false;
  private readonly progress: LogProgress;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly look: OperatorLook,
    private readonly keys: KeyRing,
    readonly knownKeys: KnownKeys,
    private readonly database: DatabaseProbe,
  ) {
    this.folder = checkpointFolder(settings);
    this.progress = new LogProgress(lateAfterMs(settings.evidence.logIntervalMs));
  }

  async run(): Promise<string> {
    const [{ stored, whole }, ...own] = await Promise.all([
      this.look.at(async (query) => ({ stored: await this.findFaults(query), whole: await describeLook(query) })),
      this.database.findRoleFault(),
      this.database.findWriteFault(),
    ]);
    const faults = [...own.filter((fault) => fault !== undefined), ...stored];
    if (faults.length === 0) return this.database.isHeldBack ? HELD_BACK_REASON : `${HOLDS}; ${whole}`;
    throw new CheckFailed(`${faults.join('; ')}. "svc doctor" looks at all of it; ${whole}`);
  }

  private async findFaults(query: Query): Promise<string[]> {
    const view = await this.knownKeys.view(query);
    const found = [
      await findMigrationsFault(query),
      await findOpenTables(query),
      await describeUnpinned(query),
      await findLogFault(query, view),
      await this.findLate(query),
      describeUnchained(view),
      await this.keys.findFault(query),
      await this.findHeadFault(query),
      await this.findKept(query),
      await findStanding(query),
      await findPeerLogs(query),
    ];
    return found.filter((fault) => fault !== undefined);
  }

  private async findLate(query: Query): Promise<string | undefined> {
    await this.progress.look(query);
    return this.progress.describeFault();
  }

  private async findKept(query: Query): Promise<string | undefined> {
    const fault = await findKeptFault(query, this, !this.hasKept);
    this.hasKept = fault === undefined;
    return fault;
  }

  /** A chain found wrong is looked at again until it holds. */
  private async findHeadFault(query: Query): Promise<string | undefined> {
    const { wrong, next } = await sampleHeads(query, this.heads);
    if (wrong > 0) return `${wrong} chains of receipts do not end where their heads say`;
    this.heads = next;
    return undefined;
  }
}
