import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { inLowerCase } from '../../../common/fields/lower-case.js';
import { Forbidden } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { OrganisationLock } from './organisation-lock.service.js';
import { SeatBillingService } from './seat-billing.service.js';
import { SeatJournal } from './seat-journal.service.js';
import type { OrgSeat, OrgSeatListQuery, OrgSeatsResponse } from './seats.dto.js';
import { InvitationOfNonOwner, LastOwner, SeatRevoked, SeatUnknown } from './seats.problems.js';
import { mayChange } from './seats.rules.js';
import { SeatsStore } from './seats.store.js';
import type { SeatRow } from './seat.entity.js';
import { toSeat } from './seats.views.js';

/** What is to become of a seat, and why. */
export interface SeatChange {
  seatId: string;
  /** Absent: the seat is revoked. */
  role?: SeatRole;
  reason?: string;
}

/** Lists the seats of a tenant, changes their roles and revokes them. */
@Injectable()
export class SeatsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: SeatsStore,
    private readonly lock: OrganisationLock,
    private readonly journal: SeatJournal,
    private readonly billing: SeatBillingService,
  ) {}

  list(caller: TenantCaller, { limit, cursor, status, role, email }: OrgSeatListQuery): Promise<OrgSeatsResponse> {
    const after = decodeCursor(cursor, ['uuid']);
    const filter = { status, role, userEmail: email === undefined ? undefined : inLowerCase(email) };
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.seatId]);
      return { seats: page.map(toSeat), billing: await this.billing.read(), next_cursor };
    });
  }

  /**
   * A role that it has already changes nothing.
   * @throws SeatUnknown, SeatRevoked, InvitationOfNonOwner, LastOwner, Forbidden
   */
  changeRole(caller: TenantCaller, change: SeatChange & { role: SeatRole }): Promise<OrgSeat> {
    return this.tenancy.run(caller.tenantId, async () => {
      const seat = await this.open(caller, change);
      if (seat.status === 'revoked') throw new SeatRevoked({ seatId: seat.seatId }, 'Invite the e-mail again');
      if (seat.role === change.role) return toSeat(seat);
      await (change.role === 'owner' ? this.checkInvitation(seat) : this.keepAnOwner(seat));
      const changed = await this.store.changeRole(seat.seatId, change.role);
      const { principal: actor, authType: authMode, agentSession } = caller;
      const event = {
        kind: 'role_changed' as const,
        actor,
        authMode,
        agentSession,
        formerRole: seat.role,
        reason: change.reason,
      };
      await this.journal.note(changed, event);
      return toSeat(changed);
    });
  }

  /** A seat that was revoked before stays as it is. @throws SeatUnknown, LastOwner, Forbidden */
  revoke(caller: TenantCaller, change: SeatChange): Promise<OrgSeat> {
    return this.tenancy.run(caller.tenantId, async () => {
      const seat = await this.open(caller, change);
      if (seat.status === 'revoked') return toSeat(seat);
      await this.keepAnOwner(seat);
      return this.billing.track(caller, async () => {
        const revoked = await this.store.revoke(seat.seatId);
        const { principal: actor, authType: authMode, agentSession } = caller;
        await this.journal.note(revoked, { kind: 'revoked', actor, authMode, agentSession, reason: change.reason });
        return toSeat(revoked);
      });
    });
  }

  /** The seat, locked, for a caller who may change it so. */
  private async open(caller: TenantCaller, { seatId, role }: SeatChange): Promise<SeatRow> {
    await this.lock.take(caller);
    const seat = await this.store.find(seatId);
    if (!seat) throw new SeatUnknown({ seatId }, 'GET /v1/org/seats lists the seats of the tenant');
    if (!mayChange(caller.role, seat.role, role))
      throw new Forbidden({ policy: 'owner_only' }, 'Only an owner makes an owner, or changes or revokes one');
    return seat;
  }

  /**
   * Who invites receives the token, and could take up the seat in another's name: an owner's invitation comes from an
   * owner (or a key).
   */
  private async checkInvitation({ seatId, status, invitedBy }: SeatRow): Promise<void> {
    if (status !== 'pending' || invitedBy === null) return;
    if ((await this.store.findActiveRole(invitedBy)) === 'owner') return;
    throw new InvitationOfNonOwner(
      { seatId },
      'The inviter has its token: invite the e-mail again with POST /v1/org/invite, which replaces it, or wait until it is accepted',
    );
  }

  /** An owner whose invitation is pending may be withdrawn, but does not count either. */
  private async keepAnOwner(seat: SeatRow): Promise<void> {
    if (seat.role !== 'owner' || seat.status !== 'active') return;
    const others = (await this.store.listOwners()).filter((owner) => owner.seatId !== seat.seatId);
    if (!others.some(({ status }) => status === 'active'))
      throw new LastOwner({ seatId: seat.seatId }, 'Make another active seat an owner first');
  }
}
