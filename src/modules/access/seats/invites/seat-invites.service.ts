import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { CallerRole, TenantCaller } from '../../../../common/contract/caller.js';
import { inLowerCase } from '../../../../common/fields/lower-case.js';
import { PublicAddress } from '../../../../common/http/public-address.js';
import { Mailer } from '../../../../common/mail/mailer.js';
import { Forbidden } from '../../../../common/problem/common-problems.js';
import { Sessions } from '../../../../common/sessions/sessions.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { OrganisationLock } from '../organisation-lock.service.js';
import { SeatBillingService } from '../seat-billing.service.js';
import { SeatJournal } from '../seat-journal.service.js';
import { InviteUnknown, OwnerExists, OwnerNeedsKey, SeatActive } from '../seats.problems.js';
import { holdsOwnership, mayChange } from '../seats.rules.js';
import { SeatsStore } from '../seats.store.js';
import type { SeatRow } from '../seat.entity.js';
import type { InvitedRole, SeatEvent } from '../seats.types.js';
import { toSeat, toSeatSession } from '../seats.views.js';
import { inviteMail } from './invite-mail.js';
import { isSameHash, mintInvite, readInvite } from './invite-token.js';
import type {
  OrgAcceptInviteResponse,
  OrgBootstrapOwnerResponse,
  OrgInviteRequest,
  OrgInviteResponse,
} from './invites.dto.js';

/** Who invites, as it is kept. */
interface Inviter {
  principal: string;
  authMode: string;
  agentSession?: string | undefined;
  role: CallerRole;
  seatId?: string;
}

/** Whom to, and as what: nothing said is a new member, or an active seat as it is. */
interface Invited {
  email: string;
  role?: InvitedRole | 'owner';
}

/** A request for a sign-in link by mail carries no credential. */
const ANYONE = 'anyone';

/** Invitations to seats, and of active ones to sign in again: issued, replaced, accepted. */
@Injectable()
export class SeatInvitesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: SeatsStore,
    private readonly lock: OrganisationLock,
    private readonly journal: SeatJournal,
    private readonly billing: SeatBillingService,
    private readonly sessions: Sessions,
    private readonly mailer: Mailer,
    private readonly address: PublicAddress,
  ) {}

  /**
   * Makes the first owner's seat.
   * @throws OwnerExists, SeatActive; OwnerNeedsKey for an admin, who would receive the owner's invitation
   */
  bootstrapOwner(caller: TenantCaller, email: string): Promise<OrgBootstrapOwnerResponse> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.lock.take(caller);
      const owners = await this.store.listOwners();
      const owner = owners.find(holdsOwnership);
      if (owner) throw new OwnerExists({ seatId: owner.seatId }, remedyFor(owner));
      if (caller.role !== 'owner')
        throw new OwnerNeedsKey(
          {},
          'Its invitation would be yours to accept: send the request with an API key of the tenant',
        );
      const inviter = inviterOf(caller);
      return this.billing.track(caller, async () => {
        await this.clearExpired(owners, inLowerCase(email), inviter);
        const issued = await this.issue({ email: inLowerCase(email), role: 'owner' }, inviter);
        return { ...issued.seat, ...issued };
      });
    });
  }

  /**
   * @throws SeatActive for another role than the active seat has; Forbidden for an owner's seat or invitation when the
   * caller is none
   */
  invite(caller: TenantCaller, { email, role }: OrgInviteRequest): Promise<OrgInviteResponse> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.lock.take(caller);
      return this.billing.track(caller, () => this.issue({ email: inLowerCase(email), role }, inviterOf(caller)));
    });
  }

  /**
   * Invites the first owner of a tenant that was made in the open unit of work; see {@link Tenancy.enter}.
   * @param actor the principal that made the tenant
   */
  inviteFirstOwner(email: string, { principal, authType }: TenantCaller): Promise<OrgInviteResponse> {
    return this.issue({ email: inLowerCase(email), role: 'owner' }, { principal, authMode: authType, role: 'owner' });
  }

  /**
   * Mails a sign-in link to the active seat with this e-mail, if there is one and its tenant is active; the requester
   * receives nothing.
   */
  mailSignInLink(tenantId: string, email: string): Promise<void> {
    return this.tenancy.run(tenantId, async () => {
      const seat = await this.store.findByEmail(inLowerCase(email));
      if (seat?.status !== 'active' || !(await this.store.isTenantActive())) return;
      const { token, hash } = mintInvite(tenantId, seat.seatId);
      const invited = await this.store.inviteToSignIn(seat.seatId, hash, null);
      await this.hand(invited, token, { kind: 'sign_in_invited', actor: ANYONE, authMode: ANYONE });
    });
  }

  /** Takes up an invitation, once, and signs its seat in. @throws InviteUnknown whatever is wrong with the token */
  accept(token: string): Promise<{ session: OrgAcceptInviteResponse; cookie: string }> {
    const invite = readInvite(token);
    if (!invite) throw notAccepted();
    return this.tenancy.run(invite.tenantId, async () => {
      const invited = await this.store.find(invite.seatId);
      const isAcceptable = isSameHash(invited?.inviteHash ?? Buffer.alloc(invite.hash.length), invite.hash);
      if (!isAcceptable || !invited?.inviteIsOpen || !(await this.store.isTenantActive())) throw notAccepted();
      const isFirst = invited.status === 'pending';
      const seat = await (isFirst ? this.store.activate(invited.seatId) : this.store.useSignIn(invited.seatId));
      const { cookie, expiresAt } = await this.sessions.open({ authType: 'seat', seatId: seat.seatId });
      await this.journal.note(seat, {
        kind: isFirst ? 'accepted' : 'signed_in',
        actor: `seat:${seat.seatId}`,
        authMode: 'seat',
      });
      return { session: { ...toSeatSession(seat, expiresAt), seat: toSeat(seat) }, cookie };
    });
  }

  /**
   * Gives a seat to an e-mail that has none, another invitation to one that is pending, and one to sign in again to an
   * active one.
   */
  private async issue(invited: Invited, inviter: Inviter): Promise<OrgInviteResponse> {
    const { email, role = 'member' } = invited;
    const present = await this.store.findByEmail(email);
    if (present?.status === 'active') return this.inviteToSignIn(present, invited, inviter);
    if (present && !mayChange(inviter.role, present.role, role))
      throw new Forbidden({ policy: 'owner_only' }, "Only an owner replaces an owner's invitation");
    const seatId = present?.seatId ?? uuid();
    const { token, hash } = mintInvite(this.tenancy.tenant, seatId);
    const { seatId: invitedBy = null, principal: inviteIssuer } = inviter;
    const invitation = { userEmail: email, role, invitedBy, inviteIssuer, inviteHash: hash };
    const seat = await (present
      ? this.store.replaceInvitation(seatId, invitation)
      : this.store.recordInvitation(seatId, invitation));
    const { principal: actor, authMode } = inviter;
    return this.hand(seat, token, { kind: 'invited', actor, authMode, formerRole: present?.role });
  }

  /** The token is in the inviter's hands, who could sign in with it: an owner's comes from an owner. */
  private async inviteToSignIn(
    { seatId, role: present }: SeatRow,
    { role }: Invited,
    { principal, authMode, role: inviterRole }: Inviter,
  ): Promise<OrgInviteResponse> {
    if (role !== undefined && role !== present)
      throw new SeatActive(
        { seatId },
        `Its role is ${present}: leave role out to invite it to sign in again; PUT /v1/org/seats/:id changes what it may do`,
      );
    if (!mayChange(inviterRole, present))
      throw new Forbidden({ policy: 'owner_only' }, 'Only an owner invites an owner to sign in again');
    const { token, hash } = mintInvite(this.tenancy.tenant, seatId);
    const seat = await this.store.inviteToSignIn(seatId, hash, principal);
    return this.hand(seat, token, { kind: 'sign_in_invited', actor: principal, authMode });
  }

  /** Mails the token, notes it, and shows it this once. */
  private async hand(seat: SeatRow, token: string, event: SeatEvent): Promise<OrgInviteResponse> {
    const inviteUrl = this.address.urlOf(`/frontdoor/accept-invite#token=${token}`);
    const expiresAt = seat.inviteExpiresAt!;
    await this.mailer.send(inviteMail(seat, inviteUrl, expiresAt));
    await this.journal.note(seat, event);
    return { seat: toSeat(seat), inviteToken: token, inviteUrl, expiresAt: expiresAt.toISOString() };
  }

  /**
   * An owner's invitation that nobody accepted in time does not keep a tenant without owner; one to the same e-mail is
   * replaced.
   */
  private async clearExpired(owners: SeatRow[], email: string, { principal: actor, ...by }: Inviter): Promise<void> {
    for (const { seatId, userEmail } of owners) {
      if (userEmail === email) continue;
      const revoked = await this.store.revoke(seatId);
      const { authMode, agentSession } = by;
      const reason = 'invitation expired';
      await this.journal.note(revoked, { kind: 'revoked', actor, authMode, agentSession, reason });
    }
  }
}

const inviterOf = ({ principal, authType, agentSession, role, session }: TenantCaller): Inviter => ({
  principal,
  authMode: authType,
  agentSession,
  role,
  seatId: session?.seatId,
});

const remedyFor = ({ status }: SeatRow): string =>
  status === 'active'
    ? 'An owner gives the role to others with PUT /v1/org/seats/:id'
    : 'Its invitation can still be accepted; DELETE /v1/org/seats/:id withdraws it';

const notAccepted = () =>
  new InviteUnknown(
    {},
    'It was used, replaced, withdrawn or has expired, or never was; ask for another invitation, or, where you had accepted one before, for a link to sign in with POST /frontdoor/auth/sign-in-link',
  );
