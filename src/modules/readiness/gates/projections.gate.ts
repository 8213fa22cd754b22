import { Injectable } from '@nestjs/common';
import { ProjectionChecks } from '../../../daemon/readiness/projection-checks.js';
import { OperatorLook } from '../operator-look.js';
import { fails, passes, type Gate, type GateFinding } from '../readiness.types.js';

const MOST_SAMPLES = 10;

/** Whether what is derived still is what its sources make, by samples that every room names. */
@Injectable()
export class ProjectionsGate implements Gate {
  readonly name = 'projection_snapshots_valid';
  readonly believedMs = 3_000;

  constructor(
    private readonly checks: ProjectionChecks,
    private readonly look: OperatorLook,
  ) {}

  async find(): Promise<GateFinding> {
    const { all } = this.checks;
    const wrong: string[] = [];
    let examined = 0;
    await this.look.at(async (query) => {
      for (const check of all) {
        const found = await check.sample(query);
        examined += found.examined;
        wrong.push(...found.wrong.map((id) => `${check.name}:${id}`));
      }
    });
    if (wrong.length === 0) return passes(`${examined} rows of ${all.length} projections equal a replay`);
    return fails(`${wrong.length} of ${examined} derived rows differ from a replay`, wrong.slice(0, MOST_SAMPLES));
  }
}
