import { Injectable } from '@nestjs/common';
import { fails, passes, type Gate, type GateFinding } from '../readiness.types.js';
import { ShardMap } from '../../../daemon/routing/shard-map.js';

/** Whether it is known which shard each tenant is on. */
@Injectable()
export class RoutingGate implements Gate {
  readonly name = 'routing_loaded';

  constructor(private readonly shards: ShardMap) {}

  async find(): Promise<GateFinding> {
    try {
      const { source, localShard, tenants } = await this.shards.load();
      const named = source === 'file' ? `, ${tenants} tenants named` : '';
      return passes(`every tenant is on the shard ${localShard} (${source}${named})`);
    } catch (error) {
      return fails(`the shard map of SVCD_SHARD_MAP_FILE ${(error as Error).message}`);
    }
  }
}
