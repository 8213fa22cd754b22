import type { CallerRole, Tier } from '../../../common/contract/caller.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import type { SeatRow } from './seat.entity.js';
import type { SeatCount } from './seats.types.js';

/** Seats a tier includes, and what each further one costs a month (D13). Money is in pence. */
const INCLUDED_SEATS: Record<Tier, number> = { free: 1, starter: 3, pro: 10, team: 25 };
const OVERAGE_PENCE = 800;

export interface SeatBilling {
  includedSeats: number;
  overageSeats: number;
  overagePence: number;
}

/** Active and pending seats count: a place that is offered is taken. */
export function billSeats(tier: Tier, { active, pending }: SeatCount): SeatBilling {
  const includedSeats = INCLUDED_SEATS[tier];
  const overageSeats = Math.max(0, active + pending - includedSeats);
  return { includedSeats, overageSeats, overagePence: overageSeats * OVERAGE_PENCE };
}

/**
 * Whether somebody with this role may bring a seat from one role to another: only an owner gives or takes away owner
 * (D13).
 */
export const mayChange = (actor: CallerRole, from: SeatRole, to?: SeatRole): boolean =>
  actor === 'owner' || (from !== 'owner' && to !== 'owner');

/** Whether a seat stands in the way of bootstrapping: an owner, or one who can still become it. */
export const holdsOwnership = (seat: SeatRow): boolean =>
  seat.role === 'owner' && (seat.status === 'active' || (seat.status === 'pending' && seat.inviteIsOpen));
