import { Injectable } from '@nestjs/common';
import { ProjectionChecks } from '../../../../common/health/projection-checks.js';
import { OperatorLook } from '../operator-look.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

const MAX_SAMPLES = 10;

/** Whether derived rows still equal what their sources produce, by samples that each module declares. */
@Injectable()
export class ProjectionsGate implements Gate {
  readonly name = 'projection_snapshots_valid';
  readonly cacheMs = 3_000;

  constructor(
    private readonly checks: ProjectionChecks,
    private readonly look: OperatorLook,
  ) {}

  async run(): Promise<string> {
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
    if (wrong.length === 0) return `${examined} rows of ${all.length} projections equal a replay`;
    throw new CheckFailed(
      `${wrong.length} of ${examined} derived rows differ from a replay`,
      wrong.slice(0, MAX_SAMPLES),
    );
  }
}
