import type { SeatRole } from '../../../common/contract/contract.js';

export const SEAT_STATUSES = ['pending', 'active', 'revoked'] as const;
export type SeatStatus = (typeof SEAT_STATUSES)[number];
/** What an invitation can make somebody; the first owner comes by bootstrap, further ones by a change of role. */
export const INVITED_ROLES = ['admin', 'member', 'viewer'] as const;
export type InvitedRole = (typeof INVITED_ROLES)[number];

/** A seat's row. */
export interface Seat {
  seat_id: string;
  tenant_id: string;
  user_email: string;
  role: SeatRole;
  status: SeatStatus;
  /** The seat that invited; null when an API key did, or the provisioning. */
  invited_by: string | null;
  invited_at: Date;
  accepted_at: Date | null;
  revoked_at: Date | null;
  /** Of the invitation to join, or of an active seat's to sign in again. */
  invite_hash: Buffer | null;
  invite_expires_at: Date | null;
  /** Whether the invitation can still be accepted, by the database's clock. */
  invite_is_open: boolean;
}

export type SeatEventKind = 'invited' | 'accepted' | 'role_changed' | 'revoked' | 'sign_in_invited' | 'signed_in';

/** One line of a seat's history: who did what to it and why. */
export interface SeatEvent {
  kind: SeatEventKind;
  actor: string;
  /** How the actor was authenticated; goes into the receipt. */
  authMode: string;
  formerRole?: SeatRole;
  reason?: string;
}

export interface SeatCount {
  active: number;
  pending: number;
}
