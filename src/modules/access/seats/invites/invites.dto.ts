import { SEAT_ROLES, type SeatRole } from '../../../../common/contract/contract.js';
import { Choice, DateTime, Email, Nested, Text, Uuid } from '../../../../common/fields/fields.js';
import { OrgSeat } from '../seats.dto.js';
import { INVITED_ROLES, type InvitedRole } from '../seats.types.js';

export class OrgBootstrapOwnerRequest {
  @Email({ about: 'Who becomes the first owner. Kept in lower case.', example: 'ada@example.org' })
  email!: string;
}

export class OrgInviteRequest {
  @Email({ about: 'Who is invited. Kept in lower case.', example: 'grace@example.org' })
  email!: string;

  @Choice({
    about:
      'What the seat may do once accepted; member when left out. For an active seat, which is invited to sign in again, leave it out or name the role it has.',
    values: INVITED_ROLES,
    optional: true,
    documentedDefault: 'member',
  })
  role?: InvitedRole;
}

const TOKEN = 'Accepts the invitation, once. Shown here alone: only its hash is stored.';
const LINK =
  'A page where the invitation can be accepted; the token is in its fragment. Also mailed, where SVC_SMTP_URL is set.';
const EXPIRY = 'Until when it can be accepted: 7 days.';

export class OrgInviteResponse {
  @Nested({
    about: 'The seat: pending until the invitation is accepted, active when it is invited to sign in again.',
    type: () => OrgSeat,
  })
  seat!: OrgSeat;

  @Text({ about: TOKEN, min: 16 })
  inviteToken!: string;

  @Text({ about: LINK })
  inviteUrl!: string;

  @DateTime({ about: EXPIRY })
  expiresAt!: string;
}

/** The first owner's seat, along with its invitation. */
export class OrgBootstrapOwnerResponse extends OrgSeat {
  @Text({ about: TOKEN, min: 16 })
  inviteToken!: string;

  @Text({ about: LINK })
  inviteUrl!: string;

  @DateTime({ about: EXPIRY })
  expiresAt!: string;

  @Nested({ about: 'The same seat once more, as POST /v1/org/invite answers it.', type: () => OrgSeat })
  seat!: OrgSeat;
}

export class OrgAcceptInviteRequest {
  @Text({ about: 'The inviteToken of the invitation.', min: 16, max: 1024 })
  token!: string;
}

/** The session that accepting opened: what GET /frontdoor/auth/session will say, and the seat. */
export class OrgAcceptInviteResponse {
  @Text({ about: 'The tenant.' })
  tenantId!: string;

  @Choice({ about: "It is a seat's session.", values: ['seat'] })
  authType!: 'seat';

  @DateTime({ about: 'When the session ends: 12 hours from now.' })
  expiresAt!: string;

  @Uuid({ about: 'The seat.' })
  seatId!: string;

  @Choice({ about: 'What it may do.', values: SEAT_ROLES })
  seatRole!: SeatRole;

  @Email({ about: 'Whose it is.' })
  seatEmail!: string;

  @Nested({ about: 'The seat, active from now on.', type: () => OrgSeat })
  seat!: OrgSeat;
}
