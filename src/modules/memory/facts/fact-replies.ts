import type { FactReply, StoredFactReply } from './facts.dto.js';
import type { FactSourceNow } from './fact-sources.types.js';
import { VISIBILITY, type FactDraft, type FactRow, type StoredFact } from './facts.types.js';

/** A record as it is read back. */
export const replyOf = (row: FactRow, sources?: FactSourceNow[]): FactReply => ({
  fact_id: row.fact_id,
  entity: row.entity,
  key: row.key,
  value: row.value,
  ...(row.value_truncated ? { value_truncated: true } : {}),
  actor: row.actor,
  ...(row.actor_claimed ? { actor_claimed: true } : {}),
  written_by: row.written_by,
  confidence: row.confidence,
  horizon_class: row.horizon_class,
  tokens: row.tokens,
  version: row.version,
  stored_at: row.stored_at.toISOString(),
  private: row.visibility !== VISIBILITY.public,
  receipt_id: row.receipt_id,
  ...(row.valid_from === null ? {} : { valid_from: row.valid_from.toISOString() }),
  ...(row.valid_to === null ? {} : { valid_to: row.valid_to.toISOString() }),
  ...(row.source_receipt === null ? {} : { source_receipt: row.source_receipt }),
  ...(row.tenant_hash === null ? {} : { tenant_hash: row.tenant_hash }),
  ...(row.superseded_by === null ? {} : { superseded_by: row.superseded_by }),
  ...(sources?.length ? { sources } : {}),
  ...(sources?.some(({ state }) => state !== 'holds') ? { source_changed: true } : {}),
});

/** The record that was just made of a draft, and what has retired it already. */
export function replyToDraft(draft: FactDraft, stored: StoredFact, successor?: string): StoredFactReply {
  const row = {
    ...draft,
    ...stored,
    seq: '',
    value_truncated: false,
    tenant_hash: draft.tenant_hash ?? null,
    source_receipt: draft.source_receipt ?? null,
    valid_from: draft.valid_from === undefined ? null : new Date(draft.valid_from),
    valid_to: draft.valid_to === undefined ? null : new Date(draft.valid_to),
    superseded_by: successor ?? null,
    sources_digest: null,
  };
  const sources = stored.sources?.map(({ id, kind }) => ({ id, kind, state: 'holds' as const }));
  return { ...replyOf(row, sources), ...(stored.replaces ? { replaces: stored.replaces } : {}) };
}
