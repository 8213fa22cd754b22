import type { IdentityLink } from './identity.dto.js';
import { stateOf, stateOfAll } from './identity-pairs.rules.js';
import type { Identifier } from './identity.types.js';
import type { IdentityLinkRow } from './identity-link.entity.js';

/** @param now the identifiers that its entities have now */
export function identityLinkOf(row: IdentityLinkRow, now: readonly Identifier[]): IdentityLink {
  const own = now.filter(({ entity }) => entity === row.entity || entity === row.other);
  const evidence = row.evidence.map(({ kind, sides }) => ({ kind, state: stateOf({ kind, sides }, own), sides }));
  return {
    ...{ link_id: row.linkId, entity: row.entity, other: row.other, status: row.status },
    ...{ evidence_state: stateOfAll(evidence.map(({ state }) => state)), evidence },
    ...{ proposed_by: row.proposedBy, proposed_at: row.proposedAt.toISOString() },
    ...{ decided_by: row.decidedBy, decided_at: row.decidedAt?.toISOString() ?? null, reason: row.reason },
  };
}
