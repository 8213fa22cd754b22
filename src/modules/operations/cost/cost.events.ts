import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import { namedDigest } from '../../../evidence/digest.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { UsageDraft } from './cost.types.js';

/** Event and receipt of usage that was kept: how much, and a digest over its events as they came. */
export function usageReported(kept: readonly UsageDraft[]): AuditEntry {
  const sum = (of: 'tokens_in' | 'tokens_out'): number => kept.reduce((total, event) => total + event[of], 0);
  const digest = namedDigest('sha256', sha256(JSON.stringify(kept)));
  return {
    kind: 'usage.reported',
    subject: kept[0]!.event_id,
    facts: { events: kept.length, tokensIn: sum('tokens_in'), tokensOut: sum('tokens_out'), digest },
    stream: 'usage',
  };
}
