import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ConversionState, FinalState } from './economy.types.js';

export interface ConversionRow {
  conversion_id: string;
  agent_id: string;
  tier: string;
  month: string;
  credits: string;
  pence: string;
  state: ConversionState;
  transfer_id: string;
  requested_by: string;
  requested_at: Date;
  expected_at: Date;
  settled_at: Date | null;
  failure_reason: string | null;
  /** Microseconds since 1970: what a timestamp's order is by. */
  requested_us: number;
}

export interface NewConversion {
  conversionId: string;
  agentId: string;
  tier: string;
  month: string;
  credits: number;
  pence: number;
  transferId: string;
  requestedBy: string;
  expectedWithinHours: number;
}

/** What the conversions of a month come to. */
export interface MonthRow {
  month: string;
  pending: string;
  applied: string;
}

export const CONVERSION_COLUMNS = `conversion_id, agent_id, tier, to_char(month, 'YYYY-MM') as month, credits, pence, state, transfer_id, requested_by, requested_at,
  expected_at, settled_at, failure_reason, (extract(epoch from requested_at) * 1000000)::float8 as requested_us`;

/** Conversions of the open unit of work's tenant. */
@Injectable()
export class ConversionsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * From here to the end of the unit of work no other conversion of the tenant is made, so that together they keep the
   * cap.
   */
  async holdCap(): Promise<void> {
    await this.tenancy.lock('conversions');
  }

  /** Of the running UTC month. */
  async readMonth(): Promise<MonthRow> {
    const [row] = await this.tenancy.query<MonthRow>(
      `select to_char(svc_utc_month(), 'YYYY-MM') as month, coalesce(sum(pence) filter (where state = 'pending'), 0) as pending,
         coalesce(sum(pence) filter (where state = 'applied'), 0) as applied
       from conversion where tenant_id = $1 and month = svc_utc_month()`,
      [this.tenancy.tenant],
    );
    return row!;
  }

  async record(conversion: NewConversion): Promise<ConversionRow> {
    const [row] = await this.tenancy.query<ConversionRow>(
      `insert into conversion (tenant_id, conversion_id, agent_id, tier, month, credits, pence, transfer_id, requested_by, expected_at)
       values ($1, $2, $3, $4, to_date($5, 'YYYY-MM'), $6, $7, $8, $9, now() + $10 * interval '1 hour') returning ${CONVERSION_COLUMNS}`,
      [
        this.tenancy.tenant,
        conversion.conversionId,
        conversion.agentId,
        conversion.tier,
        conversion.month,
        conversion.credits,
        conversion.pence,
        conversion.transferId,
        conversion.requestedBy,
        conversion.expectedWithinHours,
      ],
    );
    return row!;
  }

  /** Locked until the unit of work ends. */
  async findLocked(conversionId: string): Promise<ConversionRow | undefined> {
    const [row] = await this.tenancy.query<ConversionRow>(
      `select ${CONVERSION_COLUMNS} from conversion where tenant_id = $1 and conversion_id = $2 for update`,
      [this.tenancy.tenant, conversionId],
    );
    return row;
  }

  async settle(conversionId: string, state: FinalState, reason: string | null): Promise<void> {
    await this.tenancy.query(
      'update conversion set state = $3, settled_at = now(), failure_reason = $4 where tenant_id = $1 and conversion_id = $2',
      [this.tenancy.tenant, conversionId, state, reason],
    );
  }

  /** Conversions of an agent, oldest first. */
  list(
    agentId: string,
    state: ConversionState,
    after: [number, string] | undefined,
    limit: number,
  ): Promise<ConversionRow[]> {
    return this.tenancy.query<ConversionRow>(
      `select ${CONVERSION_COLUMNS} from conversion where tenant_id = $1 and agent_id = $2 and state = $3
         and ($4::float8 is null or (requested_at, conversion_id) > (timestamptz 'epoch' + $4 * interval '1 microsecond', $5::uuid))
       order by requested_at, conversion_id limit $6`,
      [this.tenancy.tenant, agentId, state, after?.[0] ?? null, after?.[1] ?? null, limit],
    );
  }

  /**
   * Takes an event of the provider for this unit of work; a concurrent transaction with the same event waits for its
   * end.
   * @returns false when it was processed before
   */
  async takeEvent(eventId: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      'insert into payment_event (event_id) values ($1) on conflict do nothing returning event_id',
      [eventId],
    );
    return rows.length > 0;
  }

  async recordEvent(event: {
    conversionId: string;
    eventId: string;
    type: string;
    outcome: 'settled' | 'ignored';
    happenedAt: Date;
  }): Promise<void> {
    await this.tenancy.query(
      `insert into conversion_event (tenant_id, conversion_id, event_id, type, outcome, happened_at) values ($1, $2, $3, $4, $5, $6)`,
      [this.tenancy.tenant, event.conversionId, event.eventId, event.type, event.outcome, event.happenedAt],
    );
  }
}
