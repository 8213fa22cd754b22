import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';

export interface EndpointRow {
  endpoint_id: string;
  url: string;
  description: string | null;
  kinds: string[];
  watch_id: string | null;
  secret: string;
  created_by: string;
  created_at: Date;
  disabled_at: Date | null;
  disabled_reason: string | null;
}

export interface NewEndpointRow {
  endpointId: string;
  url: string;
  description: string | null;
  kinds: readonly string[];
  watchId: string | null;
  secret: string;
  createdBy: string;
}

const COLUMNS =
  'endpoint_id, url, description, kinds, watch_id, secret, created_by, created_at, disabled_at, disabled_reason';

/** Webhook endpoints of the open unit of work's tenant. */
@Injectable()
export class WebhooksStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** How many the tenant has, not counting those of watches; until the unit of work ends no other is added. */
  async countLocked(): Promise<number> {
    await this.tenancy.query(
      `select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('webhooks', $1::text)::text, 0))`,
      [this.tenancy.tenant],
    );
    const [row] = await this.tenancy.query<{ count: number }>(
      'select count(*)::int as count from webhook_endpoint where tenant_id = $1 and deleted_at is null and watch_id is null',
      [this.tenancy.tenant],
    );
    return row?.count ?? 0;
  }

  async record(endpoint: NewEndpointRow): Promise<EndpointRow> {
    const { endpointId, url, description, kinds, watchId, secret, createdBy } = endpoint;
    const [row] = await this.tenancy.query<EndpointRow>(
      `insert into webhook_endpoint (tenant_id, endpoint_id, url, description, kinds, watch_id, secret, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
      [this.tenancy.tenant, endpointId, url, description, kinds, watchId, secret, createdBy],
    );
    if (!row) throw new Error('a webhook was not recorded');
    return row;
  }

  list(after: string | undefined, limit: number): Promise<EndpointRow[]> {
    return this.tenancy.query<EndpointRow>(
      `select ${COLUMNS} from webhook_endpoint
       where tenant_id = $1 and deleted_at is null and ($2::uuid is null or endpoint_id > $2::uuid) order by endpoint_id limit $3`,
      [this.tenancy.tenant, after ?? null, limit],
    );
  }

  /** With `lock` it stays as it is until the unit of work ends. */
  async find(endpointId: string, lock = false): Promise<EndpointRow | undefined> {
    const [row] = await this.tenancy.query<EndpointRow>(
      `select ${COLUMNS} from webhook_endpoint where tenant_id = $1 and endpoint_id = $2 and deleted_at is null ${lock ? 'for update' : ''}`,
      [this.tenancy.tenant, endpointId],
    );
    return row;
  }

  /** Endpoints end with what is still to be sent to them. @returns when, for each that was there */
  async withdraw(by: { endpointId: string } | { watchId: string }, principal: string): Promise<{ deleted_at: Date }[]> {
    const [column, id] = 'endpointId' in by ? ['endpoint_id', by.endpointId] : ['watch_id', by.watchId];
    return this.tenancy.query(
      `with ended as (
         update webhook_endpoint set deleted_at = now(), deleted_by = $3 where tenant_id = $1 and ${column} = $2 and deleted_at is null
         returning endpoint_id, deleted_at
       ), given_up as (
         update webhook_delivery d set state = 'dead', finished_at = now(), leased_until = null from ended e
         where d.tenant_id = $1 and d.endpoint_id = e.endpoint_id and d.state = 'pending'
       )
       select deleted_at from ended`,
      [this.tenancy.tenant, id, principal],
    );
  }

  async rotate(endpointId: string, secret: string, hours: number): Promise<Date> {
    const [row] = await this.tenancy.query<{ previous_until: Date }>(
      `update webhook_endpoint set previous_secret = secret, previous_until = now() + $4 * interval '1 hour', secret = $3
       where tenant_id = $1 and endpoint_id = $2 returning previous_until`,
      [this.tenancy.tenant, endpointId, secret, hours],
    );
    if (!row) throw new Error('a webhook secret was not rotated');
    return row.previous_until;
  }

  /** Nothing more is sent to it; what waits is given up. False when it was so already. */
  async disable(endpointId: string, reason: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `with disabled as (
         update webhook_endpoint set disabled_at = now(), disabled_reason = $3
         where tenant_id = $1 and endpoint_id = $2 and disabled_at is null returning endpoint_id
       ), given_up as (
         update webhook_delivery d set state = 'dead', finished_at = now(), leased_until = null from disabled e
         where d.tenant_id = $1 and d.endpoint_id = e.endpoint_id and d.state = 'pending'
       )
       select 1 from disabled`,
      [this.tenancy.tenant, endpointId, reason],
    );
    return rows.length > 0;
  }
}
