import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { fails, passes, type Gate, type GateFinding } from '../readiness.types.js';

/** Whether the file system of the data directory has room: writes would soon fail half-way. */
@Injectable()
export class DataDirCapacityGate implements Gate {
  readonly name = 'data_dir_capacity';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async find(): Promise<GateFinding> {
    const { minFreeRatio } = this.settings.daemon;
    const { bavail, blocks } = await statfs(this.settings.process.dataDir);
    const ratio = blocks === 0 ? 0 : bavail / blocks;
    const seen = `${percent(ratio)} of the file system of the data directory is free`;
    if (ratio >= minFreeRatio) return passes(seen);
    return fails(`${seen}, less than ${percent(minFreeRatio)} (SVCD_DATA_DIR_MIN_FREE_RATIO); free space`);
  }
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`;
