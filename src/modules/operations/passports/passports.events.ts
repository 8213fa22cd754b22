import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { PassportRow } from './passport.entity.js';
import type { MintRequestRow } from './mint-request.entity.js';

/** Event and receipt of a registration or a revocation. All passports of a tenant are one chain. */
export const passportChange = (
  what: 'registered' | 'revoked',
  { passportId, kind, fingerprint, attested }: PassportRow,
  facts: object = {},
): AuditEntry => ({
  kind: `passport.${what}`,
  subject: passportId,
  facts: { passportId, kind, fingerprint, attested, ...facts },
  stream: 'passports',
});

/** Event and receipt of a request for a passport, and of the decision. */
export const mintChange = (
  what: 'requested' | 'approved' | 'rejected',
  { requestId, passportId, kind, fingerprint, attested, requestedPassport, requestedPrincipal }: MintRequestRow,
  facts: object = {},
): AuditEntry => ({
  kind: `passport.mint_${what}`,
  subject: requestId,
  facts: { requestId, passportId, kind, fingerprint, attested, requestedPassport, requestedPrincipal, ...facts },
  stream: 'passports',
});
