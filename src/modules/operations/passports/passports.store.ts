import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type RowLock } from '../../../common/tenancy/tenant-repository.js';
import { isOpenGate } from '../../coordination/work/gates/open-gates.views.js';
import { PassportRow } from './passport.entity.js';
import type { EndedWith, PassportKind, PassportState } from './passports.types.js';

export interface PassportFilter {
  kind: PassportKind | undefined;
  state: PassportState | undefined;
}

/** What is known of who was seen. */
export interface SeenRow {
  passport_id: string;
  registered: boolean;
  first_seen_at: Date;
  last_seen_at: Date;
}

/** Passports of the open unit of work's tenant. */
@Injectable()
export class PassportsStore {
  private readonly rows: TenantRepository<PassportRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.rows = new TenantRepository(tenancy, PassportRow);
  }

  find(passportId: string, lock?: RowLock): Promise<PassportRow | undefined> {
    return this.rows.find({ passportId }, lock);
  }

  list({ kind, state }: PassportFilter, after: [string] | undefined, take: number): Promise<PassportRow[]> {
    const revokedAt = state === undefined ? undefined : state === 'active' ? IsNull() : Not(IsNull());
    return this.rows.list({ kind, revokedAt }, { order: { passportId: 'asc' }, after, take });
  }

  /** The triggers of the row end what it held. */
  revoke(passportId: string, revokedBy: string, reason: string | undefined): Promise<PassportRow> {
    const values = { revokedBy, revokeReason: reason ?? null, revokedAt: () => 'clock_timestamp()' };
    return this.rows.updateOne({ passportId }, values);
  }

  /** What a revocation is about to end. */
  async countHeld(passportId: string): Promise<Omit<EndedWith, 'peers'>> {
    const [row] = await this.tenancy.query<Omit<EndedWith, 'peers'>>(HELD, [this.tenancy.tenant, passportId]);
    return row!;
  }

  /** @param withinSeconds 0: whenever it was */
  listSeen(withinSeconds: number, [after]: [string?], take: number): Promise<SeenRow[]> {
    return this.tenancy.query(SEEN, [this.tenancy.tenant, withinSeconds, after ?? null, take]);
  }
}

const HELD = `
  select
    (select count(*)::int from lease where tenant_id = $1 and status = 'held' and expires_at > clock_timestamp()
      and (holder_passport = $2 or held_by = $2)) as leases,
    (select count(*)::int from work_gate g where tenant_id = $1 and ${isOpenGate('g')}
      and (requested_passport = $2 or requested_principal = 'passport:' || $2
        or may_decide <@ array[$2, 'passport:' || $2] and may_decide <> '{}')) as gates,
    (select count(*)::int from coord_intent where tenant_id = $1 and expires_at > now()
      and (by_passport = $2 or announced_by = 'passport:' || $2)) as intents`;

const SEEN = `
  select s.passport_id, s.first_seen_at, s.last_seen_at, exists (select from passport p
    where p.tenant_id = s.tenant_id and p.passport_id = s.passport_id and p.revoked_at is null) as registered
  from passport_presence s
  where s.tenant_id = $1 and ($2 = 0 or s.last_seen_at >= now() - make_interval(secs => $2))
    and ($3::text is null or s.passport_id > $3::text collate "C")
  order by s.passport_id limit $4`;
