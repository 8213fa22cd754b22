import { Injectable } from '@nestjs/common';
import { OperatorLook } from '../operator-look.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

/** Whether nothing stored was found damaged since the operator last cleared what was. */
@Injectable()
export class CorruptionGate implements Gate {
  readonly name = 'corruption_state_clear';

  constructor(private readonly look: OperatorLook) {}

  async run(): Promise<string> {
    const open = await this.look.at((query) => query<{ source: string; count: number }>(OPEN));
    if (open.length === 0) return 'nothing was found damaged';
    const found = open.map(({ source, count }) => `${count} of ${source}`).join(', ');
    throw new CheckFailed(
      `found damaged and not cleared: ${found}. "svc doctor" names each; mend or restore it, then "svc doctor --clear-corruption"`,
    );
  }
}

const OPEN = `select source, count(*)::int as count from corruption_finding where cleared_at is null and source not like 'evidence.%' group by 1 order by 1`;
