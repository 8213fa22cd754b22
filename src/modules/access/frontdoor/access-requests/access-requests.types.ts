import type { Tier } from '../../../../common/contract/caller.js';

export const AUDIENCES = ['agent', 'human'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** The states of tenant-api.md 3. */
export const ACCESS_REQUEST_STATUSES = [
  'submitted',
  'reviewing',
  'approved',
  'rejected',
  'provisioned',
  'spam',
] as const;
export type AccessRequestStatus = (typeof ACCESS_REQUEST_STATUSES)[number];

export interface AccessRequestRow {
  request_id: string;
  status: AccessRequestStatus;
  audience: Audience;
  requester_email: string;
  requester_name: string | null;
  company_name: string | null;
  wanted_tenant_id: string | null;
  default_agent_id: string | null;
  api_key_provided: boolean;
  wanted_tier: Tier | null;
  use_case: string | null;
  notes: string | null;
  submitted_at: Date;
  updated_at: Date;
  provisioned_tenant_id: string | null;
}

export interface AccessRequestChangeRow {
  request_id: string;
  from_status: AccessRequestStatus;
  to_status: AccessRequestStatus;
  changed_by: string;
  changed_at: Date;
  reason: string | null;
}

/** What a reviewer decided. */
export interface Decision {
  from: AccessRequestStatus;
  to: AccessRequestStatus;
  principal: string;
  reason: string | null;
  provisionedTenantId: string | null;
}
