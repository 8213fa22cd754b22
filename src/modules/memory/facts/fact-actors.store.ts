import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { timeOf } from './fact-sql.js';

export interface ActorRow {
  actor: string;
  actor_claimed: boolean;
  last_at: Date;
  records: string;
}

/** When an actor stored last, in milliseconds, and its name. */
export type ActorPlace = [number, string, number];
export const placeOf = ({ last_at, actor, actor_claimed }: ActorRow): ActorPlace => [
  last_at.getTime(),
  actor,
  Number(actor_claimed),
];

/** Who stored facts, as the writes count it. Call in a unit of work. */
@Injectable()
export class FactActorsStore {
  constructor(private readonly tenancy: Tenancy) {}

  list(after: ActorPlace | undefined, limit: number): Promise<ActorRow[]> {
    const place = after ? [timeOf(after[0]), after[1], after[2] > 0] : [null, null, null];
    return this.tenancy.query<ActorRow>(ACTORS, [this.tenancy.tenant, limit, ...place]);
  }
}

const ACTORS = `
  select a.* from (
    select actor, actor_claimed, max(last_at) as last_at, sum(records) as records from fact_actor where tenant_id = $1 group by 1, 2) a
  where $3::timestamptz is null or (a.last_at, a.actor collate "C", a.actor_claimed) < ($3, $4::text collate "C", $5::boolean)
  order by a.last_at desc, a.actor collate "C" desc, a.actor_claimed desc limit $2`;
