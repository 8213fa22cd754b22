import { OPERATOR } from '../evidence-log/audit-trail.js';
import type { Tenancy } from '../tenancy/tenancy.js';

/**
 * The lines of two principals, $2 and $3 of the tenant $1: who made the keys and invited the seats that they are, and
 * who made and invited those in turn; `by_keys` as far as it is keys alone. The operator, $4, who makes keys for
 * others, does not count, nor does a sign-in link that the seat asked for itself, or a seat that an identity provider
 * gave.
 */
export const LINES_OF_MAKERS = `with recursive line(start, principal, by_keys) as (
         select start, start, true from unnest(array[$2, $3]::text[]) start
         union
         select line.start, made.by, line.by_keys and made.is_key from line cross join lateral (
           select created_by, true from api_key where tenant_id = $1 and line.principal = 'key:' || key_id
           union all
           select invited.actor, false from seat_event taken join lateral (
             select actor from seat_event
             where tenant_id = $1 and seat_id = taken.seat_id and event_id < taken.event_id and kind in ('invited', 'sign_in_invited')
             order by event_id desc limit 1
           ) invited on true
           where taken.tenant_id = $1 and taken.seat_id = case when line.principal like 'seat:%' then substr(line.principal, 6)::uuid end
             and taken.kind in ('accepted', 'signed_in') and taken.actor = line.principal
         ) made(by, is_key)
         where made.by <> $4
       )`;

/**
 * Whether a principal is a key that another made, itself or by keys that it made: who made a key has seen it, and could
 * act by it. In the open unit of work.
 */
export async function isKeyOf(tenancy: Tenancy, principal: string, maker: string): Promise<boolean> {
  const rows = await tenancy.query(
    `${LINES_OF_MAKERS} select from line where start = $2 and principal = $3 and by_keys and $2 <> $3 limit 1`,
    [tenancy.tenant, principal, maker, OPERATOR.principal],
  );
  return rows.length > 0;
}
