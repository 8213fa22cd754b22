import type { Query } from '../../../../common/tenancy/cross-tenant.js';

/** A delivery that this process is to attempt, alone until the lease ends. */
export interface DueDelivery {
  tenant_id: string;
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  payload: string;
  attempts: number;
  round_attempts: number;
  url: string;
  secret: string;
  /** Those before it that still sign. */
  previous_secrets: string[];
}

export interface ClaimBounds {
  /** Attempts that this process can take on. */
  free: number;
  /** Attempts in flight at once, over all processes. */
  perEndpoint: number;
  perTenant: number;
  leaseSeconds: number;
}

/** An event as it is handed to the endpoints of its tenant. */
export interface Parcel {
  tenant_id: string;
  event_id: string;
  kind: string;
  subject: string;
  transaction: string;
  payload: string;
}

/** SQL of the tenants with an endpoint that listens. */
export const LISTENING_TENANTS =
  'select w.tenant_id from webhook_endpoint w where w.deleted_at is null and w.disabled_at is null';

/** Whether a delivery is to be attempted, or is being attempted by a process that holds its lease. */
export const IS_DELIVERY_DUE = `exists (select from webhook_delivery where state = 'pending' and next_at <= now())`;

/**
 * A delivery for each endpoint that asked for the event. Events that had happened when the endpoint was made are not
 * sent.
 */
export async function recordDeliveries(query: Query, parcels: readonly Parcel[]): Promise<void> {
  await query(
    `insert into webhook_delivery (tenant_id, endpoint_id, event_id, kind, subject, payload)
     select p.tenant_id, w.endpoint_id, p.event_id, p.kind, p.subject, p.payload
     from jsonb_to_recordset($1::jsonb) as p(tenant_id text, event_id uuid, kind text, subject text, transaction text, payload text)
     join webhook_endpoint w on w.tenant_id = p.tenant_id and w.deleted_at is null and w.disabled_at is null
       and not coalesce(pg_visible_in_snapshot(p.transaction::xid8, w.created_snapshot), false)
       and (w.watch_id is null or p.kind = 'watch.alert' and p.subject = w.watch_id::text)
       and (w.kinds = '{}' or exists (select from unnest(w.kinds) k where k = p.kind or k like '%*' and starts_with(p.kind, left(k, -1))))
     on conflict (tenant_id, endpoint_id, event_id) do nothing`,
    [JSON.stringify(parcels)],
  );
}

/**
 * Takes what is due, a tenant's first deliveries before any tenant's second, those in flight counted, within the bounds
 * for each endpoint and tenant: who is slow holds up nobody else, also where all places are taken. A lease that ends
 * without an outcome, as when its process was killed, makes the delivery due again.
 */
export async function claimDue(
  query: Query,
  { free, perEndpoint, perTenant, leaseSeconds }: ClaimBounds,
): Promise<DueDelivery[]> {
  const [due] = await query<{ waiting: boolean }>(`select ${IS_DELIVERY_DUE} as waiting`);
  if (!due?.waiting) return [];
  // One claim at a time, so that two processes count the same attempts in flight.
  await query(`select pg_advisory_xact_lock(hashtextextended('svc webhook claims', 0))`);
  const claimed = await query<DueDelivery>(
    `with busy as (
       select tenant_id, endpoint_id, count(*)::int as n from webhook_delivery
       where state = 'pending' and leased_until is not null and leased_until > now() group by 1, 2
     ), tenants as (
       select tenant_id, sum(n)::int as n from busy group by 1
     ), due as (
       select d.tenant_id, d.delivery_id, d.next_at, coalesce(t.n, 0) as tenant_busy,
         row_number() over (partition by d.tenant_id order by d.next_at, d.delivery_id) as place
       from webhook_endpoint w
       left join busy b using (tenant_id, endpoint_id)
       left join tenants t on t.tenant_id = w.tenant_id
       cross join lateral (
         select x.tenant_id, x.delivery_id, x.next_at from webhook_delivery x
         where x.tenant_id = w.tenant_id and x.endpoint_id = w.endpoint_id and x.state = 'pending' and x.next_at <= now()
           and (x.leased_until is null or x.leased_until <= now())
         order by x.next_at limit greatest($2 - coalesce(b.n, 0), 0)) d
       where w.deleted_at is null and w.disabled_at is null
     ), chosen as (
       select tenant_id, delivery_id from due where place + tenant_busy <= $3 order by place + tenant_busy, next_at limit $1
     )
     update webhook_delivery d set leased_until = now() + $4 * interval '1 second', attempts = d.attempts + 1, round_attempts = d.round_attempts + 1
     from chosen c join webhook_endpoint w on w.tenant_id = c.tenant_id
     where d.tenant_id = c.tenant_id and d.delivery_id = c.delivery_id and w.endpoint_id = d.endpoint_id
     returning d.tenant_id, d.delivery_id, d.endpoint_id, d.event_id, d.payload, d.attempts, d.round_attempts, w.url, w.secret,
       array(select p.secret from (values (w.previous_secret, w.previous_until)) p(secret, until) where p.until > now()
         union all select e ->> 'secret' from jsonb_array_elements(w.earlier_secrets) e where (e ->> 'until')::timestamptz > now()) as previous_secrets`,
    [free, perEndpoint, perTenant, leaseSeconds],
  );
  // An endpoint may end while a delivery for it is being made, and does not see it.
  if (claimed.length === 0) await giveUpOrphans(query);
  return claimed;
}

/** Gives up deliveries whose endpoint is gone. */
async function giveUpOrphans(query: Query): Promise<void> {
  await query(
    `update webhook_delivery d set state = 'dead', finished_at = now(), leased_until = null from webhook_endpoint w
     where d.state = 'pending' and w.tenant_id = d.tenant_id and w.endpoint_id = d.endpoint_id and (w.deleted_at is not null or w.disabled_at is not null)`,
  );
}

/** Removes deliveries that ended long ago, and gives up those whose endpoint is gone. @returns how many were removed */
export async function sweepDeliveries(query: Query, days: number, limit: number): Promise<number> {
  await giveUpOrphans(query);
  const rows = await query(
    `delete from webhook_delivery where ctid = any(array(
       select ctid from webhook_delivery where finished_at < now() - $1 * interval '1 day' limit $2)) returning 1`,
    [days, limit],
  );
  return rows.length;
}
