import { Injectable } from '@nestjs/common';
import type { SeatRole } from '../../../common/contract/contract.js';
import { Sessions } from '../../../common/sessions/sessions.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { SeatRow } from './seat.entity.js';
import { SeatJournal } from './seat-journal.service.js';
import { SeatsStore } from './seats.store.js';

/** How the actor of what happens here is authenticated. */
const OIDC = 'oidc';

/** A session that was opened for a seat. */
export interface SeatSession {
  session: {
    tenantId: string;
    authType: 'seat';
    expiresAt: string;
    seatId: string;
    seatRole: SeatRole;
    seatEmail: string;
  };
  cookie: string;
}

/** Seats of people whom the identity provider of the installation vouches for. */
@Injectable()
export class ProviderSeatsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: SeatsStore,
    private readonly journal: SeatJournal,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Opens a session for the active seat with this e-mail.
   * @param person the role is what the groups give; undefined leaves the seat's own
   * @returns undefined where there is no such seat, or its tenant is not active
   */
  signIn(tenantId: string, person: { email: string; role: SeatRole | undefined }): Promise<SeatSession | undefined> {
    return this.tenancy.run(tenantId, async () => {
      await this.store.lockOrganisation();
      const found = await this.store.findByEmail(person.email);
      if (found?.status !== 'active' || !(await this.store.isTenantActive())) return undefined;
      const seat = await this.giveRole(found, person.role);
      const { cookie, expiresAt } = await this.sessions.open({ authType: 'seat', seatId: seat.seatId });
      await this.journal.note(seat, { kind: 'signed_in', actor: `seat:${seat.seatId}`, authMode: OIDC });
      return { session: sessionOf(seat, expiresAt), cookie };
    });
  }

  /** An owner stays one, whatever the groups say; a change ends the sessions of the seat. */
  private async giveRole(seat: SeatRow, role: SeatRole | undefined): Promise<SeatRow> {
    if (role === undefined || role === seat.role || seat.role === 'owner') return seat;
    const changed = await this.store.changeRole(seat.seatId, role);
    await this.journal.note(changed, {
      kind: 'role_changed',
      actor: `seat:${seat.seatId}`,
      authMode: OIDC,
      formerRole: seat.role,
      reason: 'groups at the identity provider',
    });
    return changed;
  }
}

const sessionOf = (seat: SeatRow, expiresAt: Date): SeatSession['session'] => ({
  tenantId: seat.tenantId,
  authType: 'seat',
  expiresAt: expiresAt.toISOString(),
  seatId: seat.seatId,
  seatRole: seat.role,
  seatEmail: seat.userEmail,
});
