import { SEAT_ROLES, type SeatRole } from '../../../common/contract/contract.js';
import {
  Choice,
  DateTime,
  Decimal,
  Email,
  Integer,
  ListOf,
  Nested,
  Text,
  Uuid,
} from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { SEAT_STATUSES, type SeatStatus } from './seats.types.js';

/** A person's place in a tenant (tenant-api.md 2.4). */
export class OrgSeat {
  @Uuid({ about: 'The seat.' })
  id!: string;

  @Text({ about: 'The tenant it belongs to.' })
  tenantId!: string;

  @Email({ about: 'Whose it is, in lower case.', example: 'ada@example.org' })
  userEmail!: string;

  @Choice({ about: 'What it may do.', values: SEAT_ROLES })
  role!: SeatRole;

  @Choice({
    about: 'pending until the invitation is accepted, then active; revoked for good.',
    values: SEAT_STATUSES,
  })
  status!: SeatStatus;

  @DateTime({ about: 'When it was invited, last.' })
  invitedAt!: string;

  @DateTime({ about: 'When the invitation was accepted; null while it was not.', nullable: true })
  acceptedAt!: string | null;

  @DateTime({ about: 'When it was revoked; null while it was not.', nullable: true })
  revokedAt!: string | null;

  @Uuid({ about: 'The seat that invited it; null when an API key did.', optional: true, nullable: true })
  invitedBy!: string | null;
}

export class OrgSeatsBillingSummary {
  @Text({ about: 'Who bills the seats.', example: 'svc' })
  provider!: string;

  @Integer({ about: 'Seats the tier includes: free 1, starter 3, pro 10, team 25.', min: 0 })
  includedSeats!: number;

  @Integer({ about: 'Seats in use.', min: 0 })
  activeSeats!: number;

  @Integer({ about: 'Seats offered by an invitation that is not accepted yet; they count as taken.', min: 0 })
  pendingSeats!: number;

  @Integer({ about: 'Active and pending seats beyond those included.', min: 0 })
  overageSeats!: number;

  @Decimal({ about: 'What they cost a month: 8.00 GBP each.', min: 0, example: 16 })
  overageGbp!: number;
}

export class OrgSeatsResponse {
  @ListOf({ about: 'Seats in the order they were made, those revoked included.', type: () => OrgSeat })
  seats!: OrgSeat[];

  @Nested({ about: 'What all seats of the tenant cost, whatever the filter.', type: () => OrgSeatsBillingSummary })
  billing!: OrgSeatsBillingSummary;

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class OrgSeatListQuery extends PageQuery {
  @Choice({ about: 'Only seats in this state.', values: SEAT_STATUSES, optional: true })
  status?: SeatStatus;

  @Choice({ about: 'Only seats with this role.', values: SEAT_ROLES, optional: true })
  role?: SeatRole;

  @Email({ about: 'Only seats of this e-mail.', optional: true })
  email?: string;
}

export class OrgSeatPath {
  @Uuid({ about: 'The seat.' })
  id!: string;
}

export class OrgSeatRoleUpdateRequest {
  @Choice({ about: 'What the seat may do from now on.', values: SEAT_ROLES })
  role!: SeatRole;
}

/** Why somebody decided so. */
export class ReasonQuery {
  @Text({ about: 'Why; kept in the history and in the receipt.', optional: true, min: 1, max: 500 })
  reason?: string;
}
