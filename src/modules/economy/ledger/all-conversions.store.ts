import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { EXPIRES_AFTER_DAYS } from './conversion.rules.js';
import { CONVERSION_COLUMNS, type ConversionRow } from './conversions.store.js';
import type { ConversionState } from './economy.types.js';

/** A conversion with its tenant. */
export type TenantConversion = ConversionRow & { tenant_id: string };

/** Where a page begins: after the conversion asked for at that microsecond with that id. */
export type Position = [requestedUs: number, conversionId: string];

export interface ConversionFilter {
  state: ConversionState;
  tenantId?: string | undefined;
  after?: Position | undefined;
  limit: number;
}

/** What waits for the payment provider, over all tenants. */
export interface PendingConversions {
  pending: number;
  /** Age of the oldest; 0 where there is none. */
  oldest_seconds: number;
}

const AFTER = `(requested_at, conversion_id) > (timestamptz 'epoch' + $1 * interval '1 microsecond', $2::uuid)`;

/** Conversions of every tenant, as svc_operator. */
export class AllConversions {
  constructor(private readonly query: Query) {}

  async findTenant(conversionId: string): Promise<string | undefined> {
    const [row] = await this.query<{ tenant_id: string }>('select tenant_id from conversion where conversion_id = $1', [
      conversionId,
    ]);
    return row?.tenant_id;
  }

  /** Oldest first. */
  list({ state, tenantId, after, limit }: ConversionFilter): Promise<TenantConversion[]> {
    return this.query<TenantConversion>(
      `select tenant_id, ${CONVERSION_COLUMNS} from conversion
       where ($1::float8 is null or ${AFTER}) and state = $3 and ($4::text is null or tenant_id = $4)
       order by requested_at, conversion_id limit $5`,
      [after?.[0] ?? null, after?.[1] ?? null, state, tenantId ?? null, limit],
    );
  }

  /** Pending ones whose time is over, oldest first. */
  findExpired(after: Position | undefined, limit: number): Promise<TenantConversion[]> {
    return this.query<TenantConversion>(
      `select tenant_id, ${CONVERSION_COLUMNS} from conversion
       where ($1::float8 is null or ${AFTER}) and state = 'pending' and requested_at < now() - $3 * interval '1 day'
       order by requested_at, conversion_id limit $4`,
      [after?.[0] ?? null, after?.[1] ?? null, EXPIRES_AFTER_DAYS, limit],
    );
  }

  async readPending(): Promise<PendingConversions> {
    const [row] = await this.query<PendingConversions>(
      `select count(*)::int as pending, coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 as oldest_seconds
       from conversion where state = 'pending'`,
    );
    return row!;
  }
}

export const positionOf = ({ requested_us, conversion_id }: ConversionRow): Position => [requested_us, conversion_id];
