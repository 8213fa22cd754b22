import { Injectable } from '@nestjs/common';
import { DatabaseProbe, HELD_BACK_REASON } from '../../../../common/database/database-probe.js';
import { KeyRing } from '../../../../common/evidence-log/key-ring.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import {
  findLogFault,
  findOpenTables,
  findSchemaFault,
  FIRST_HEAD,
  sampleHeads,
  type HeadCursor,
} from '../evidence-checks.js';
import { OperatorLook } from '../operator-look.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

const HOLDS = 'roles, schema, row-level security, log, signing key and chains hold, and writes commit';

/**
 * Whether what the daemon's evidence rests on holds: schema, row-level security, log, signing key, chains of receipts.
 */
@Injectable()
export class ControlEvidenceGate implements Gate {
  readonly name = 'control_evidence_ok';
  private heads: HeadCursor = FIRST_HEAD;

  constructor(
    private readonly look: OperatorLook,
    private readonly keys: KeyRing,
    private readonly database: DatabaseProbe,
  ) {}

  async run(): Promise<string> {
    const [stored, ...own] = await Promise.all([
      this.look.at((query) => this.findFaults(query)),
      this.database.findRoleFault(),
      this.database.findWriteFault(),
    ]);
    const faults = [...own.filter((fault) => fault !== undefined), ...stored];
    if (faults.length === 0) return this.database.isHeldBack ? HELD_BACK_REASON : HOLDS;
    throw new CheckFailed(`${faults.join('; ')}. "svc doctor" looks at all of it`);
  }

  private async findFaults(query: Query): Promise<string[]> {
    const found = [
      await findSchemaFault(query),
      await findOpenTables(query),
      await findLogFault(query),
      await this.keys.findFault(query),
      await this.findHeadFault(query),
    ];
    return found.filter((fault) => fault !== undefined);
  }

  /** A chain found wrong is looked at again until it holds. */
  private async findHeadFault(query: Query): Promise<string | undefined> {
    const { wrong, next } = await sampleHeads(query, this.heads);
    if (wrong > 0) return `${wrong} chains of receipts do not end where their heads say`;
    this.heads = next;
    return undefined;
  }
}
