import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import { HOLDS_STREAM } from '../../../common/legal-holds/held-rows.js';
import type { LegalHoldRow } from './legal-hold.entity.js';

type Pinned = Pick<LegalHoldRow, 'holdId' | 'entityPrefixes' | 'incidentId' | 'reason'>;

/** Event and receipt; the reason is text for people, which only the receipt has. */
const holdChange = (what: 'placed' | 'released', hold: Pinned): AuditEntry => ({
  kind: `hold.${what}`,
  subject: hold.holdId,
  facts: { holdId: hold.holdId, entityPrefixes: hold.entityPrefixes, incidentId: hold.incidentId },
  receipt: { reason: hold.reason },
  stream: HOLDS_STREAM,
});

export const holdPlaced = (hold: Pinned): AuditEntry => holdChange('placed', hold);
export const holdReleased = (hold: Pinned): AuditEntry => holdChange('released', hold);
