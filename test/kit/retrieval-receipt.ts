import type { EvidenceService, RetrievalEvent } from '../../src/common/evidence-log/evidence.service.js';
import type { RetrievalRecord } from '../../src/evidence/receipt.js';

/** Records the receipt of a retrieval that is not stored itself. */
export async function recordRetrieval(
  evidence: EvidenceService,
  tenantId: string,
  event: RetrievalEvent,
): Promise<RetrievalRecord> {
  const [receipt] = evidence.draftRetrievals(tenantId, [event]);
  await evidence.recordRetrievals(tenantId, [receipt!]);
  return receipt!;
}
