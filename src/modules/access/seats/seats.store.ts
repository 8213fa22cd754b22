import { Injectable } from '@nestjs/common';
import type { Tier } from '../../../common/contract/caller.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Seat, SeatCount, SeatEvent, SeatStatus } from './seats.types.js';

const COLUMNS = `seat_id, tenant_id, user_email, role, status, invited_by, invited_at, accepted_at, revoked_at, invite_hash, invite_expires_at,
  coalesce(invite_expires_at > now(), false) as invite_is_open`;

export interface SeatFilter {
  status?: SeatStatus;
  role?: SeatRole;
  email?: string;
}

export interface SeatInvitation {
  seatId: string;
  email: string;
  role: SeatRole;
  invitedBy: string | null;
  /** The principal with which the invitation ends. */
  issuer: string;
  hash: Buffer;
}

/** Another session for a seat that is active. */
export interface SignInInvitation {
  seatId: string;
  /** Absent: the seat asked for it itself, by mail. */
  issuer?: string;
  hash: Buffer;
}

/** How long an invitation can be accepted (D13). */
const INVITE_LASTS = `interval '7 days'`;
const NO_INVITATION = 'invite_hash = null, invite_expires_at = null, invite_issuer = null';

/** The seats of the open unit of work's tenant, and what happened to them. */
@Injectable()
export class SeatsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Keeps every other change of seats and keys of this tenant waiting until the end of the unit of work. */
  async lockOrganisation(): Promise<void> {
    // Not FOR UPDATE: rows of other modules that refer to the tenant may still be written.
    await this.tenancy.query('select 1 from tenant where tenant_id = $1 for no key update', [this.tenancy.tenant]);
  }

  async readTier(): Promise<Tier> {
    const [row] = await this.tenancy.query<{ tier: Tier }>('select tier from tenant where tenant_id = $1', [
      this.tenancy.tenant,
    ]);
    if (!row) throw new Error('the tenant has no row');
    return row.tier;
  }

  /** @returns the role by which a seat may act now; undefined when it is not active */
  async findActiveRole(seatId: string): Promise<SeatRole | undefined> {
    const [row] = await this.tenancy.query<{ role: SeatRole }>(
      `select role from seat where tenant_id = $1 and seat_id = $2 and status = 'active'`,
      [this.tenancy.tenant, seatId],
    );
    return row?.role;
  }

  find(seatId: string): Promise<Seat | undefined> {
    return this.one(`select ${COLUMNS} from seat where tenant_id = $1 and seat_id = $2 for update`, [seatId]);
  }

  /** The seat of an e-mail that was not revoked: there is one at most. */
  findByEmail(email: string): Promise<Seat | undefined> {
    return this.one(
      `select ${COLUMNS} from seat where tenant_id = $1 and user_email = $2 and status <> 'revoked' for update`,
      [email],
    );
  }

  listOwners(): Promise<Seat[]> {
    return this.tenancy.query<Seat>(
      `select ${COLUMNS} from seat where tenant_id = $1 and role = 'owner' and status <> 'revoked' order by seat_id for update`,
      [this.tenancy.tenant],
    );
  }

  list(filter: SeatFilter, after: string | undefined, limit: number): Promise<Seat[]> {
    return this.tenancy.query<Seat>(
      `select ${COLUMNS} from seat where tenant_id = $1 and ($2::text is null or status = $2) and ($3::text is null or role = $3)
         and ($4::text is null or user_email = $4) and ($5::uuid is null or seat_id > $5) order by seat_id limit $6`,
      [this.tenancy.tenant, filter.status ?? null, filter.role ?? null, filter.email ?? null, after ?? null, limit],
    );
  }

  async count(): Promise<SeatCount> {
    const [row] = await this.tenancy.query<SeatCount>(
      `select (count(*) filter (where status = 'active'))::int as active, (count(*) filter (where status = 'pending'))::int as pending
       from seat where tenant_id = $1`,
      [this.tenancy.tenant],
    );
    return row ?? { active: 0, pending: 0 };
  }

  async recordInvitation({ seatId, email, role, invitedBy, issuer, hash }: SeatInvitation): Promise<Seat> {
    return this.changed(
      `insert into seat (tenant_id, seat_id, user_email, role, status, invited_by, invite_issuer, invite_hash, invite_expires_at)
       values ($1, $2, $3, $4, 'pending', $5, $6, $7, now() + ${INVITE_LASTS}) returning ${COLUMNS}`,
      [seatId, email, role, invitedBy, issuer, hash],
    );
  }

  /** Puts another invitation in place of the one a pending seat has; the token before opens nothing any more. */
  async replaceInvitation({ seatId, role, invitedBy, issuer, hash }: SeatInvitation): Promise<Seat> {
    return this.changed(
      `update seat set role = $3, invited_by = $4, invited_at = now(), invite_issuer = $5, invite_hash = $6, invite_expires_at = now() + ${INVITE_LASTS}
       where tenant_id = $1 and seat_id = $2 and status = 'pending' returning ${COLUMNS}`,
      [seatId, role, invitedBy, issuer, hash],
    );
  }

  /** Lets an active seat sign in once more; it stays as it is. A token it was given before opens nothing any more. */
  async inviteToSignIn({ seatId, issuer, hash }: SignInInvitation): Promise<Seat> {
    return this.changed(
      `update seat set invite_issuer = $3, invite_hash = $4, invite_expires_at = now() + ${INVITE_LASTS}
       where tenant_id = $1 and seat_id = $2 and status = 'active' returning ${COLUMNS}`,
      [seatId, issuer ?? null, hash],
    );
  }

  async useSignIn(seatId: string): Promise<Seat> {
    return this.changed(
      `update seat set ${NO_INVITATION} where tenant_id = $1 and seat_id = $2 and status = 'active' returning ${COLUMNS}`,
      [seatId],
    );
  }

  async activate(seatId: string): Promise<Seat> {
    return this.changed(
      `update seat set status = 'active', accepted_at = now(), ${NO_INVITATION}
       where tenant_id = $1 and seat_id = $2 and status = 'pending' returning ${COLUMNS}`,
      [seatId],
    );
  }

  async changeRole(seatId: string, role: SeatRole): Promise<Seat> {
    return this.changed(
      `update seat set role = $3 where tenant_id = $1 and seat_id = $2 and status <> 'revoked' returning ${COLUMNS}`,
      [seatId, role],
    );
  }

  async revoke(seatId: string): Promise<Seat> {
    return this.changed(
      `update seat set status = 'revoked', revoked_at = now(), ${NO_INVITATION}
       where tenant_id = $1 and seat_id = $2 and status <> 'revoked' returning ${COLUMNS}`,
      [seatId],
    );
  }

  async recordEvent({ seat_id, role }: Seat, { kind, actor, formerRole, reason }: SeatEvent): Promise<void> {
    await this.tenancy.query(
      'insert into seat_event (tenant_id, seat_id, kind, actor, former_role, role, reason) values ($1, $2, $3, $4, $5, $6, $7)',
      [this.tenancy.tenant, seat_id, kind, actor, formerRole ?? null, role, reason ?? null],
    );
  }

  private async one(sql: string, parameters: unknown[]): Promise<Seat | undefined> {
    const [row] = await this.tenancy.query<Seat>(sql, [this.tenancy.tenant, ...parameters]);
    return row;
  }

  private async changed(sql: string, parameters: unknown[]): Promise<Seat> {
    const row = await this.one(sql, parameters);
    if (!row) throw new Error('a seat that was locked is not as it was');
    return row;
  }
}
