import type { Mail } from '../../../../common/mail/mail.store.js';
import type { SeatRow } from '../seat.entity.js';

/** The mail that brings an invitation, to join or to sign in again, in plain text. */
export function inviteMail({ tenantId, userEmail, role, status }: SeatRow, inviteUrl: string, expiresAt: Date): Mail {
  const isSignIn = status === 'active';
  return {
    to: userEmail,
    subject: isSignIn ? `Sign in to ${tenantId}` : `Invitation to ${tenantId}`,
    text: [
      isSignIn
        ? `Here is a way to sign in to ${tenantId}, where your role is ${role}.`
        : `You are invited to ${tenantId} with the role ${role}.`,
      '',
      isSignIn ? 'Open this address to sign in:' : 'Open this address to accept the invitation:',
      inviteUrl,
      '',
      `It works once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC. A later mail of this kind to you replaces it.`,
      'If you expected none, ignore this mail: nothing happens until the address is opened and its button pressed.',
      '',
    ].join('\n'),
  };
}
