import type { OrgSeat } from './seats.dto.js';
import type { SeatRow } from './seat.entity.js';
import type { SeatSession } from './seats.types.js';

/** A seat as it is shown. */
export const toSeat = (seat: SeatRow): OrgSeat => ({
  id: seat.seatId,
  tenantId: seat.tenantId,
  userEmail: seat.userEmail,
  role: seat.role,
  status: seat.status,
  invitedAt: seat.invitedAt.toISOString(),
  acceptedAt: seat.acceptedAt?.toISOString() ?? null,
  revokedAt: seat.revokedAt?.toISOString() ?? null,
  invitedBy: seat.invitedBy,
});

/** The session of a seat as it is shown. */
export const toSeatSession = (seat: SeatRow, expiresAt: Date): SeatSession['session'] => ({
  tenantId: seat.tenantId,
  authType: 'seat',
  expiresAt: expiresAt.toISOString(),
  seatId: seat.seatId,
  seatRole: seat.role,
  seatEmail: seat.userEmail,
});
