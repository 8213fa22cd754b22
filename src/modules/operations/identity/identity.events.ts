import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { IdentityLinkRow } from './identity-link.entity.js';

const STREAM = 'identity';

/** Event and receipt of a decision on a pair. All of a tenant are one chain; the reason stands in the row alone. */
export const linkDecided = ({ linkId, entity, other, status, evidence }: IdentityLinkRow): AuditEntry => ({
  kind: `identity.${status}`,
  subject: linkId,
  facts: { linkId, entity, other, evidence: evidence.map(({ kind }) => kind) },
  stream: STREAM,
});

/** Event and receipt of candidates that were proposed together. */
export const candidatesProposed = (rows: readonly IdentityLinkRow[]): AuditEntry => ({
  kind: 'identity.proposed',
  subject: rows[0]!.linkId,
  facts: { candidates: rows.length, firstLinkId: rows[0]!.linkId, lastLinkId: rows.at(-1)!.linkId },
  stream: STREAM,
});
