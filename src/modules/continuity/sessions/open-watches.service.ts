import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { WatchesService } from '../watches/watches.service.js';
import type { OpenWatch } from './continuity.types.js';

const PAGE = 200;

/** The watches that notice changes for an agent. None while the feature is off: then nothing is noticed. */
@Injectable()
export class OpenWatchesService {
  constructor(
    private readonly watches: WatchesService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** All of them, newest first; a tenant has a bounded number. */
  async find(caller: TenantCaller, agentId: string): Promise<OpenWatch[]> {
    if (!this.settings.features.watches) return [];
    const found: OpenWatch[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.watches.list(caller, { agentId, active: true, limit: PAGE, cursor });
      for (const { watchId, targetType, targetId, note, alertCount, createdAt } of page.watches)
        found.push({ watchId, targetType, targetId, note, alertCount, createdAt });
      if (page.next_cursor === null) return found.reverse();
      cursor = page.next_cursor;
    }
  }
}
