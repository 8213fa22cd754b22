import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { FactActor, FactActors, FactActorsQuery } from './fact-actors.dto.js';
import { type ActorRow, FactActorsStore, placeOf } from './fact-actors.store.js';

/** Who stored facts of the caller's tenant. Private facts are not counted: others do not learn of them. */
@Injectable()
export class FactActorsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: FactActorsStore,
  ) {}

  async list(caller: DaemonCaller, { limit, cursor }: FactActorsQuery): Promise<FactActors> {
    const after = decodeCursor(cursor, ['integer', 'text', 'integer']);
    const rows = await this.tenants.run(caller, undefined, () => this.store.list(after, limit + 1));
    const { page, next_cursor } = takePage(rows, limit, placeOf);
    return { actors: page.map(actorOf), next_cursor };
  }
}

const actorOf = ({ actor, actor_claimed, last_at, records }: ActorRow): FactActor => ({
  actor,
  ...(actor_claimed ? { actor_claimed } : {}),
  last_stored_at: last_at.toISOString(),
  count: Number(records),
});
