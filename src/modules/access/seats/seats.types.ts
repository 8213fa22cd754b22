import type { SeatRole } from '../../../common/contract/contract.js';

export const SEAT_STATUSES = ['pending', 'active', 'revoked'] as const;
export type SeatStatus = (typeof SEAT_STATUSES)[number];
/** What an invitation can make somebody; the first owner comes by bootstrap, further ones by a change of role. */
export const INVITED_ROLES = ['admin', 'member', 'viewer'] as const;
export type InvitedRole = (typeof INVITED_ROLES)[number];

export type SeatEventKind = 'invited' | 'accepted' | 'role_changed' | 'revoked' | 'sign_in_invited' | 'signed_in';

/** One line of a seat's history: who did what to it and why. */
export interface SeatEvent {
  kind: SeatEventKind;
  actor: string;
  /** How the actor was authenticated; goes into the receipt. */
  authMode: string;
  agentSession?: string | undefined;
  formerRole?: SeatRole;
  reason?: string;
}

export interface SeatCount {
  active: number;
  pending: number;
}

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
