import type { Dossier, DossierSummary } from './dossiers.dto.js';
import type { ShownAnchor, ShownClaim, ShownDossierStats } from './dossier.dto.js';
import type { DossierRow } from './dossier.entity.js';
import { CLAIM_STATES, type AnchorNow, type ClaimNow } from './dossiers.types.js';

export const dossierOf = (row: DossierRow, claims: readonly ClaimNow[], checkedAt: Date): Dossier => ({
  dossier_id: row.dossierId,
  project_id: row.projectId,
  agent_passport: row.agentPassport,
  generated_at_unix_ms: row.generatedAtUnixMs,
  based_on: row.basedOn,
  claims: claims.map((claim) => claimOf(claim, checkedAt)),
  uncertainties: row.uncertainties,
  contradictions: row.contradictions,
  open_questions: row.openQuestions,
  stats: statsOf(claims),
  origin: row.origin,
  content_hash: row.contentHash,
  receipt_id: row.receiptId,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
});

/** What is shown of a dossier in a list, and where it stands there. */
export const SUMMARY_COLUMNS = [
  ...(['dossierId', 'agentPassport', 'generatedAtUnixMs', 'origin', 'claimCount', 'receiptId', 'createdAt'] as const),
  'createdUs',
] as const;

export const dossierSummaryOf = (row: Pick<DossierRow, (typeof SUMMARY_COLUMNS)[number]>): DossierSummary => ({
  dossier_id: row.dossierId,
  agent_passport: row.agentPassport,
  generated_at_unix_ms: row.generatedAtUnixMs,
  origin: row.origin,
  claim_count: row.claimCount,
  receipt_id: row.receiptId,
  created_at: row.createdAt.toISOString(),
});

const claimOf = ({ claim_id, text, confidence, anchors, state, why }: ClaimNow, checkedAt: Date): ShownClaim => ({
  ...{ claim_id, text, confidence, anchors: anchors.map(anchorOf), state },
  why: why ?? null,
  checked_at: checkedAt.toISOString(),
});

const anchorOf = ({ kind, id, start, end, quote_blake3, state, why, successor }: AnchorNow): ShownAnchor => ({
  ...{ kind, id, start, end, quote_blake3, state },
  why: why ?? null,
  superseded_by: successor ?? null,
});

function statsOf(claims: readonly ClaimNow[]): ShownDossierStats {
  const count = (wanted: ClaimNow['state']): number => claims.filter(({ state }) => state === wanted).length;
  const [supported, contradicted, stale, unsupported] = CLAIM_STATES.map(count) as [number, number, number, number];
  const anchors = claims.reduce((sum, claim) => sum + claim.anchors.length, 0);
  return { claims: claims.length, anchors, supported, contradicted, stale, unsupported };
}
