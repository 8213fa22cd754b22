import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DeliveryState } from './webhooks.types.js';

export interface AttemptRow {
  attempt: number;
  started_at: string;
  duration_ms: number;
  status: number | null;
  error: string | null;
}

export interface DeliveryRow {
  delivery_id: string;
  event_id: string;
  kind: string;
  subject: string;
  state: DeliveryState;
  next_at: Date;
  created_at: Date;
  finished_at: Date | null;
  position: string;
  tries: AttemptRow[];
}

/** What became of an attempt. */
export interface Outcome {
  deliveryId: string;
  attempt: number;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
}

const COLUMNS = `d.delivery_id, d.event_id, d.kind, d.subject, d.state, d.next_at, d.created_at, d.finished_at, d.position::text as position,
  coalesce((select jsonb_agg(to_jsonb(a) order by a.attempt) from (
    select attempt, started_at, duration_ms, status, error from webhook_attempt t
    where t.tenant_id = d.tenant_id and t.delivery_id = d.delivery_id order by attempt desc limit 50) a), '[]') as tries`;

/** Deliveries of the open unit of work's tenant. */
@Injectable()
export class DeliveriesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Newest first. */
  list(
    endpointId: string,
    state: DeliveryState | undefined,
    before: string | undefined,
    limit: number,
  ): Promise<DeliveryRow[]> {
    return this.tenancy.query<DeliveryRow>(
      `select ${COLUMNS} from webhook_delivery d
       where d.tenant_id = $1 and d.endpoint_id = $2 and ($3::text is null or d.state = $3) and ($4::bigint is null or d.position < $4::bigint)
       order by d.position desc limit $5`,
      [this.tenancy.tenant, endpointId, state ?? null, before ?? null, limit],
    );
  }

  async find(endpointId: string, deliveryId: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.tenancy.query<DeliveryRow>(
      `select ${COLUMNS} from webhook_delivery d where d.tenant_id = $1 and d.delivery_id = $3 and d.endpoint_id = $2`,
      [this.tenancy.tenant, endpointId, deliveryId],
    );
    return row;
  }

  /** Begins a new round at once. False when one is in progress. */
  async reopen(deliveryId: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update webhook_delivery set state = 'pending', round_attempts = 0, next_at = now(), finished_at = null, leased_until = null
       where tenant_id = $1 and delivery_id = $2 and state <> 'pending' returning 1`,
      [this.tenancy.tenant, deliveryId],
    );
    return rows.length > 0;
  }

  async recordAttempt({ deliveryId, attempt, startedAt, durationMs, status, error }: Outcome): Promise<void> {
    await this.tenancy.query(
      `insert into webhook_attempt (tenant_id, delivery_id, attempt, started_at, duration_ms, status, error)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [this.tenancy.tenant, deliveryId, attempt, startedAt, durationMs, status, error],
    );
  }

  /** What follows from an attempt, unless another attempt was begun since. */
  async settle(deliveryId: string, attempt: number, state: DeliveryState, delayMs = 0): Promise<void> {
    await this.tenancy.query(
      `update webhook_delivery set state = $4, leased_until = null, next_at = now() + $5 * interval '1 millisecond',
         finished_at = case when $4 = 'pending' then null else now() end
       where tenant_id = $1 and delivery_id = $2 and attempts = $3 and state = 'pending'`,
      [this.tenancy.tenant, deliveryId, attempt, state, delayMs],
    );
  }
}
