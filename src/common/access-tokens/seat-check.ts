import { Injectable } from '@nestjs/common';
import type { TenantCaller, Tier } from '../contract/caller.js';
import type { SeatRole } from '../contract/contract.js';
import { Listener } from '../database/listener.js';
import { TtlCache } from '../database/ttl-cache.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { PRINCIPAL_ENDED, principalIn } from '../tenancy/principal-ended.js';
import { TENANT_CHANGED, type TenantState } from '../tenancy/tenant-state.js';

/** A seat as a caller, whatever the state of its tenant. */
export interface SeatCaller extends TenantCaller {
  role: SeatRole;
  state: TenantState;
}

interface SeatFound {
  tenant_id: string;
  seat_id: string;
  role: SeatRole;
  tier: Tier;
  state: TenantState;
}

/** More than anybody has. */
const MAX_SEATS = 100;

/**
 * The active seats of a person, in all tenants. Kept for seconds; a seat that is revoked or gets another role, and a
 * tenant that changes, is looked up again at once in every process.
 */
@Injectable()
export class SeatCheck {
  private readonly found: TtlCache<readonly SeatCaller[]>;

  constructor(
    private readonly crossTenant: CrossTenant,
    listener: Listener,
  ) {
    this.found = new TtlCache(listener, PRINCIPAL_ENDED, isOneOf, {
      [TENANT_CHANGED]: (name, seats) => seats.some(({ tenantId }) => tenantId === name),
    });
  }

  /** @param email in lower case */
  async of(email: string): Promise<readonly SeatCaller[]> {
    const known = this.found.get(email) ?? (await this.found.ask(email, () => this.ask(email)));
    return known ?? [];
  }

  /** Nothing is kept of a person without a seat: one who accepts an invitation is let in at once. */
  private async ask(email: string): Promise<readonly SeatCaller[] | undefined> {
    const rows = await this.crossTenant.run('seats of a person', (query) =>
      query<SeatFound>(SEATS, [email, MAX_SEATS]),
    );
    return rows.length === 0 ? undefined : rows.map(callerOf);
  }
}

const SEATS = `
  select s.tenant_id, s.seat_id, s.role, t.tier, t.state from seat s join tenant t using (tenant_id)
  where s.user_email = $1 and s.status = 'active' order by s.tenant_id limit $2`;

const callerOf = ({ tenant_id: tenantId, seat_id, role, tier, state }: SeatFound): SeatCaller => ({
  ...{ tenantId, tier, role, state, principal: `seat:${seat_id}`, authType: 'seat' },
});

function isOneOf(payload: string, seats: readonly SeatCaller[]): boolean {
  const ended = principalIn(payload);
  return seats.some(({ tenantId, principal }) => tenantId === ended.tenant && principal === ended.principal);
}
