import type { OrgSeat } from './seats.dto.js';
import type { Seat } from './seats.types.js';

/** A seat as it is shown. */
export const toSeat = (seat: Seat): OrgSeat => ({
  id: seat.seat_id,
  tenantId: seat.tenant_id,
  userEmail: seat.user_email,
  role: seat.role,
  status: seat.status,
  invitedAt: seat.invited_at.toISOString(),
  acceptedAt: seat.accepted_at?.toISOString() ?? null,
  revokedAt: seat.revoked_at?.toISOString() ?? null,
  invitedBy: seat.invited_by,
});
