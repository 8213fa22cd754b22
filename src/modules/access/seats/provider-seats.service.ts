import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import { Sessions } from '../../../common/sessions/sessions.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { mintInvite } from './invites/invite-token.js';
import { OrganisationLock } from './organisation-lock.service.js';
import { SeatBillingService } from './seat-billing.service.js';
import type { SeatRow } from './seat.entity.js';
import { SeatJournal } from './seat-journal.service.js';
import { SeatsStore } from './seats.store.js';
import type { SeatEvent, SeatSession } from './seats.types.js';
import { toSeatSession } from './seats.views.js';

/** How the actor of what happens here is authenticated. */
const OIDC = 'oidc';

/** Seats of people whom the identity provider of the installation vouches for. */
@Injectable()
export class ProviderSeatsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: SeatsStore,
    private readonly lock: OrganisationLock,
    private readonly billing: SeatBillingService,
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
      const by = { actor: `seat:${found.seatId}`, authMode: OIDC };
      const seat = await this.giveRole(found, person.role, { ...by, reason: 'groups at the identity provider' });
      const { cookie, expiresAt } = await this.sessions.open({ authType: 'seat', seatId: seat.seatId });
      await this.journal.note(seat, { kind: 'signed_in', ...by });
      return { session: toSeatSession(seat, expiresAt), cookie };
    });
  }

  /**
   * Gives an e-mail address a seat that is active at once, in the open unit of work: an active one is taken over, a
   * pending one is active from now on. An owner stays one.
   * @param given without a role a seat that is there keeps its own; another one has newRole
   */
  async provision(
    caller: TenantCaller,
    given: { email: string; role: SeatRole | undefined; newRole: SeatRole; reason: string },
  ): Promise<SeatRow> {
    await this.lock.take(caller);
    const { email, role, newRole, reason } = given;
    const { principal: actor, authType: authMode, agentSession } = caller;
    const by = { actor, authMode, agentSession, reason };
    return this.billing.track(caller, async () => {
      const present = await this.store.findByEmail(email);
      const seat = present ? await this.giveRole(present, role, by) : await this.invite(email, role ?? newRole, actor);
      if (seat.status === 'active') return seat;
      const activated = await this.store.activate(seat.seatId);
      await this.journal.note(activated, { kind: 'accepted', ...by });
      return activated;
    });
  }

  /** A pending seat whose token nobody has. */
  private invite(userEmail: string, role: SeatRole, inviteIssuer: string): Promise<SeatRow> {
    const seatId = uuid();
    const { hash: inviteHash } = mintInvite(this.tenancy.tenant, seatId);
    return this.store.recordInvitation(seatId, { userEmail, role, invitedBy: null, inviteIssuer, inviteHash });
  }

  /** An owner stays one, whatever the groups say; a change ends the sessions of the seat. */
  private async giveRole(
    seat: SeatRow,
    role: SeatRole | undefined,
    by: Omit<SeatEvent, 'kind' | 'formerRole'>,
  ): Promise<SeatRow> {
    if (role === undefined || role === seat.role || seat.role === 'owner') return seat;
    const changed = await this.store.changeRole(seat.seatId, role);
    await this.journal.note(changed, { kind: 'role_changed', formerRole: seat.role, ...by });
    return changed;
  }
}
