import type { MintRequest } from './mint-requests.dto.js';
import type { MintRequestRow } from './mint-request.entity.js';
import type { PassportRow } from './passport.entity.js';
import type { Passport } from './passports.dto.js';

export const passportOf = (row: PassportRow): Passport => ({
  passport_id: row.passportId,
  display_name: row.displayName,
  kind: row.kind,
  public_key: row.publicKey,
  fingerprint: row.fingerprint,
  attested: row.attested,
  tenants: [row.tenantId],
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  revoked_at: row.revokedAt?.toISOString() ?? null,
  revoked_by: row.revokedBy,
  revoke_reason: row.revokeReason,
  last_seen_at: row.lastSeenAt?.toISOString() ?? null,
});

export const mintRequestOf = (row: MintRequestRow): MintRequest => ({
  mint_request_id: row.requestId,
  passport_id: row.passportId,
  display_name: row.displayName,
  kind: row.kind,
  public_key: row.publicKey,
  fingerprint: row.fingerprint,
  attested: row.attested,
  tenant_id: row.tenantId,
  why: row.why,
  status: row.status,
  requested_by: row.requestedPassport ?? row.requestedPrincipal,
  requested_at: row.requestedAt.toISOString(),
  decided_by: row.decidedPassport ?? row.decidedPrincipal,
  decided_at: row.decidedAt?.toISOString() ?? null,
  reason: row.reason,
});
