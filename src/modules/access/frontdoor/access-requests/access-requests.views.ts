import type { AccessRequest } from './access-requests.dto.js';
import { nextStates } from './access-requests.rules.js';
import type { AccessRequestChangeRow, AccessRequestRow } from './access-requests.types.js';

/** @param changes may hold those of other requests */
export function toAccessRequest(row: AccessRequestRow, changes: readonly AccessRequestChangeRow[]): AccessRequest {
  return {
    requestId: row.request_id,
    status: row.status,
    submittedAt: row.submitted_at.toISOString(),
    audience: row.audience,
    requesterEmail: row.requester_email,
    requesterName: row.requester_name,
    companyName: row.company_name,
    requestedTenantId: row.wanted_tenant_id,
    defaultAgentId: row.default_agent_id,
    apiKeyProvided: row.api_key_provided,
    requestedUserLevel: row.wanted_tier,
    useCase: row.use_case,
    notes: row.notes,
    updatedAt: row.updated_at.toISOString(),
    provisionedTenantId: row.provisioned_tenant_id,
    allowed: [...nextStates(row.status)],
    history: changes
      .filter(({ request_id }) => request_id === row.request_id)
      .map((change) => ({
        from: change.from_status,
        to: change.to_status,
        principal: change.changed_by,
        at: change.changed_at.toISOString(),
        reason: change.reason,
      })),
  };
}
