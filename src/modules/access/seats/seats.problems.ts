import { problem } from '../../../common/problem/problem.js';

export class SeatUnknown extends problem<{ seatId: string }>(404, 'SeatUnknown', 'There is no such seat') {}

export class OwnerExists extends problem<{ seatId: string }>(409, 'OwnerExists', 'This tenant has an owner seat') {}

export class OwnerNeedsKey extends problem(409, 'OwnerNeedsKey', 'The first owner is made with an API key') {}

export class SeatActive extends problem<{ seatId: string }>(
  409,
  'SeatActive',
  'This e-mail has an active seat already',
) {}

export class SeatRevoked extends problem<{ seatId: string }>(409, 'SeatRevoked', 'This seat was revoked') {}

export class InvitationOfNonOwner extends problem<{ seatId: string }>(
  409,
  'InvitationOfNonOwner',
  'This invitation was made by somebody who is no owner',
) {}

export class LastOwner extends problem<{ seatId: string }>(
  409,
  'LastOwner',
  'The last owner cannot be removed or demoted',
) {}

/** One answer to every invalid token, so that it does not reveal why the token is invalid. */
export class InviteUnknown extends problem(404, 'InviteUnknown', 'This invitation cannot be accepted') {}

export class ApiKeyUnknown extends problem<{ keyId: string }>(404, 'ApiKeyUnknown', 'There is no such API key') {}

export class ApiKeyEnded extends problem<{ keyId: string }>(
  409,
  'ApiKeyEnded',
  'This API key was revoked or has expired',
) {}

export class LastApiKey extends problem<{ keyId: string }>(
  409,
  'LastApiKey',
  'The last API key of a tenant without an active owner cannot be revoked',
) {}
