import { SEAT_ROLES, type SeatRole } from '../../../../common/contract/contract.js';
import { Choice, DateTime, Email, Flag, Text, Uuid } from '../../../../common/fields/fields.js';

export class FrontdoorAuthConnectRequest {
  @Text({ about: 'The tenant to sign in to.', min: 1, example: 'default' })
  tenantId!: string;

  @Text({ about: 'An API key of that tenant.', min: 8, example: 'svc_key_0123456789ab_...' })
  apiKey!: string;
}

/** The session of a browser (tenant-api.md 2.3). Members that do not apply are absent. */
export class FrontdoorAuthSession {
  @Text({ about: 'The tenant.' })
  tenantId!: string;

  @Choice({ about: 'Whether an API key or a seat signed in.', values: ['api_key', 'seat'] })
  authType!: 'api_key' | 'seat';

  @DateTime({
    about: 'When the session ends by itself: 12 hours after it began, or with its API key if that is sooner.',
  })
  expiresAt!: string;

  @Text({ about: 'The part of the API key that identifies it; not secret. With an API key alone.', optional: true })
  apiKeyPrefix?: string;

  @Uuid({ about: 'The seat. With a seat alone.', optional: true })
  seatId?: string;

  @Choice({ about: 'What the seat may do. With a seat alone.', values: SEAT_ROLES, optional: true })
  seatRole?: SeatRole;

  @Email({ about: 'Whose seat it is. With a seat alone.', optional: true })
  seatEmail?: string;
}

export class FrontdoorLogoutResponse {
  @Flag({ about: 'Always true: the session is over and its cookie opens nothing any more.' })
  ok!: true;

  @Text({ about: 'The tenant whose session ended.' })
  tenantId!: string;

  @DateTime({ about: 'When it ended.' })
  endedAt!: string;
}
