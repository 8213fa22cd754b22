import type { AccessRequestChangeRow } from './access-request-change.entity.js';
import type { AccessRequestRow } from './access-request.entity.js';
import type { AccessRequest } from './access-requests.dto.js';
import { nextStates } from './access-requests.rules.js';

/** @param changes may hold those of other requests */
export function toAccessRequest(row: AccessRequestRow, changes: readonly AccessRequestChangeRow[]): AccessRequest {
  return {
    requestId: row.requestId,
    status: row.status,
    submittedAt: row.submittedAt.toISOString(),
    audience: row.audience,
    requesterEmail: row.requesterEmail,
    requesterName: row.requesterName,
    companyName: row.companyName,
    requestedTenantId: row.wantedTenantId,
    defaultAgentId: row.defaultAgentId,
    apiKeyProvided: row.apiKeyProvided,
    requestedUserLevel: row.wantedTier,
    useCase: row.useCase,
    notes: row.notes,
    updatedAt: row.updatedAt.toISOString(),
    provisionedTenantId: row.provisionedTenantId,
    allowed: [...nextStates(row.status)],
    history: changes
      .filter(({ requestId }) => requestId === row.requestId)
      .map((change) => ({
        from: change.fromStatus,
        to: change.toStatus,
        principal: change.changedBy,
        at: change.changedAt.toISOString(),
        reason: change.reason,
      })),
  };
}
