import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

/** Whether the file system of the data directory has free space: without it writes would soon fail half-way. */
@Injectable()
export class DataDirCapacityGate implements Gate {
  readonly name = 'data_dir_capacity';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async run(): Promise<string> {
    const { minFreeRatio } = this.settings.daemon;
    const { bavail, blocks } = await statfs(this.settings.process.dataDir);
    const ratio = blocks === 0 ? 0 : bavail / blocks;
    const seen = `${percent(ratio)} of the file system of the data directory is free`;
    if (ratio >= minFreeRatio) return seen;
    throw new CheckFailed(`${seen}, less than ${percent(minFreeRatio)} (SVCD_DATA_DIR_MIN_FREE_RATIO); free space`);
  }
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`;
