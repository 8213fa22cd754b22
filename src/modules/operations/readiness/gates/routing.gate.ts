import { Injectable } from '@nestjs/common';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';
import { ShardMap } from '../../../../common/routing/shard-map.js';

/** Whether it is known which shard each tenant is on. */
@Injectable()
export class RoutingGate implements Gate {
  readonly name = 'routing_loaded';

  constructor(private readonly shards: ShardMap) {}

  async run(): Promise<string> {
    try {
      const { source, localShard, tenants } = await this.shards.load();
      const named = source === 'file' ? `, ${tenants} tenants named` : '';
      return `every tenant is on the shard ${localShard} (${source}${named})`;
    } catch (error) {
      throw new CheckFailed(`the shard map of SVCD_SHARD_MAP_FILE ${(error as Error).message}`);
    }
  }
}
