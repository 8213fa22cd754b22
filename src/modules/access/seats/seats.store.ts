import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { Tier } from '../../../common/contract/caller.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import { readTier } from '../../../common/keys/tenant-rows.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { SeatEventRow } from './seat-event.entity.js';
import { SeatRow } from './seat.entity.js';
import type { SeatCount, SeatEvent, SeatStatus } from './seats.types.js';

export interface SeatFilter {
  status?: SeatStatus;
  role?: SeatRole;
  userEmail?: string;
}

export type SeatInvitation = Pick<SeatRow, 'userEmail' | 'role' | 'invitedBy' | 'inviteIssuer' | 'inviteHash'>;

/** How long an invitation can be accepted (D13). */
const INVITE_EXPIRY = { inviteExpiresAt: () => `now() + interval '7 days'` };
const NO_INVITATION = { inviteHash: null, inviteExpiresAt: null, inviteIssuer: null };

/** The seats of the open unit of work's tenant, and what happened to them. */
@Injectable()
export class SeatsStore {
  private readonly seats: TenantRepository<SeatRow>;
  private readonly events: TenantRepository<SeatEventRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.seats = new TenantRepository(tenancy, SeatRow);
    this.events = new TenantRepository(tenancy, SeatEventRow);
  }

  /** Keeps every other change of seats and keys of this tenant waiting until the end of the unit of work. */
  async lockOrganisation(): Promise<void> {
    // Not FOR UPDATE: rows of other modules that refer to the tenant may still be written.
    await this.tenancy.query('select 1 from tenant where tenant_id = $1 for no key update', [this.tenancy.tenant]);
  }

  async readTier(): Promise<Tier> {
    return readTier((sql, parameters) => this.tenancy.query(sql, parameters), this.tenancy.tenant);
  }

  async isTenantActive(): Promise<boolean> {
    const rows = await this.tenancy.query(`select from tenant where tenant_id = $1 and state = 'active'`, [
      this.tenancy.tenant,
    ]);
    return rows.length > 0;
  }

  /** @returns the role by which a seat may act now; undefined when it is not active */
  async findActiveRole(seatId: string): Promise<SeatRole | undefined> {
    return (await this.seats.find({ seatId, status: 'active' }))?.role;
  }

  find(seatId: string): Promise<SeatRow | undefined> {
    return this.seats.find({ seatId }, 'update');
  }

  /** The seat of an e-mail that was not revoked: there is one at most. */
  findByEmail(userEmail: string): Promise<SeatRow | undefined> {
    return this.seats.find({ userEmail, status: Not('revoked') }, 'update');
  }

  listOwners(): Promise<SeatRow[]> {
    return this.seats.list({ role: 'owner', status: Not('revoked') }, { order: { seatId: 'asc' }, lock: 'update' });
  }

  list(filter: SeatFilter, after: [seatId: string] | undefined, limit: number): Promise<SeatRow[]> {
    return this.seats.list(filter, { order: { seatId: 'asc' }, after, take: limit });
  }

  async count(): Promise<SeatCount> {
    const [row] = await this.tenancy.query<SeatCount>(
      `select (count(*) filter (where status = 'active'))::int as active, (count(*) filter (where status = 'pending'))::int as pending
       from seat where tenant_id = $1`,
      [this.tenancy.tenant],
    );
    return row!;
  }

  recordInvitation(seatId: string, invitation: SeatInvitation): Promise<SeatRow> {
    return this.seats.insert({ seatId, status: 'pending', ...invitation, ...INVITE_EXPIRY });
  }

  /** Puts another invitation in place of the one a pending seat has; the token before opens nothing any more. */
  replaceInvitation(seatId: string, invitation: SeatInvitation): Promise<SeatRow> {
    const again = { ...invitation, invitedAt: () => 'now()', ...INVITE_EXPIRY };
    return this.seats.updateOne({ seatId, status: 'pending' }, again);
  }

  /**
   * Lets an active seat sign in once more; it stays as it is. A token it was given before opens nothing any more.
   * @param inviteIssuer null: the seat asked for it itself, by mail
   */
  inviteToSignIn(seatId: string, inviteHash: Buffer, inviteIssuer: string | null): Promise<SeatRow> {
    return this.changeActive(seatId, { inviteIssuer, inviteHash, ...INVITE_EXPIRY });
  }

  useSignIn(seatId: string): Promise<SeatRow> {
    return this.changeActive(seatId, NO_INVITATION);
  }

  activate(seatId: string): Promise<SeatRow> {
    const activated = { status: 'active' as const, acceptedAt: () => 'now()', ...NO_INVITATION };
    return this.seats.updateOne({ seatId, status: 'pending' }, activated);
  }

  changeRole(seatId: string, role: SeatRole): Promise<SeatRow> {
    return this.seats.updateOne({ seatId, status: Not('revoked') }, { role });
  }

  revoke(seatId: string): Promise<SeatRow> {
    const revoked = { status: 'revoked' as const, revokedAt: () => 'now()', ...NO_INVITATION };
    return this.seats.updateOne({ seatId, status: Not('revoked') }, revoked);
  }

  async recordEvent({ seatId, role }: SeatRow, { kind, actor, formerRole, reason }: SeatEvent): Promise<void> {
    await this.events.insert({ seatId, kind, actor, formerRole, role, reason });
  }

  private changeActive(seatId: string, values: Values<SeatRow>): Promise<SeatRow> {
    return this.seats.updateOne({ seatId, status: 'active' }, values);
  }
}
