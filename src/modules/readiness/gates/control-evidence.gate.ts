import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../../common/evidence/key-ring.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import {
  findKeyFault,
  findLogFault,
  findOpenTables,
  findSchemaFault,
  FIRST_HEAD,
  sampleHeads,
  type HeadCursor,
} from '../evidence-checks.js';
import { OperatorLook } from '../operator-look.js';
import { fails, passes, type Gate, type GateFinding } from '../readiness.types.js';

/** Whether what the daemon's evidence rests on holds: schema, row-level security, log, signing key, chains of receipts. */
@Injectable()
export class ControlEvidenceGate implements Gate {
  readonly name = 'control_evidence_ok';
  private heads: HeadCursor = FIRST_HEAD;

  constructor(
    private readonly look: OperatorLook,
    private readonly keys: KeyRing,
  ) {}

  async find(): Promise<GateFinding> {
    const faults = await this.look.at((query) => this.findFaults(query));
    if (faults.length === 0) return passes('schema, row-level security, log, signing key and chains hold');
    return fails(`${faults.join('; ')}. "svc doctor" looks at all of it`);
  }

  private async findFaults(query: Query): Promise<string[]> {
    const found = [
      await findSchemaFault(query),
      await findOpenTables(query),
      await findLogFault(query),
      await findKeyFault(query, this.keys.active),
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
