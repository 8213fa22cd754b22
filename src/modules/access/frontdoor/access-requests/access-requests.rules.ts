import { ASKED_TENANT_NAME } from '../../../../common/keys/tenant-name.js';
import type { AccessRequestRow } from './access-request.entity.js';
import type { AccessRequestStatus } from './access-requests.types.js';

/** Where a request may go from each state (D12). The last three are final. */
const NEXT: Record<AccessRequestStatus, readonly AccessRequestStatus[]> = {
  submitted: ['reviewing'],
  reviewing: ['approved', 'rejected', 'spam'],
  approved: ['provisioned'],
  rejected: [],
  spam: [],
  provisioned: [],
};

export const nextStates = (status: AccessRequestStatus): readonly AccessRequestStatus[] => NEXT[status];

/**
 * A name for a company's tenant: `Müller & Söhne GmbH` is `muller-sohne-gmbh`. Empty where there is nothing to make one
 * of.
 */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
}

/**
 * The name of the tenant to make: what the reviewer says, else what was asked for, else the company's.
 * @returns undefined where none of these can be one
 */
export function tenantNameFor(
  request: Pick<AccessRequestRow, 'wantedTenantId' | 'companyName'>,
  chosen: string | undefined,
): string | undefined {
  const name = chosen ?? request.wantedTenantId ?? slugOf(request.companyName ?? '');
  return ASKED_TENANT_NAME.test(name) ? name : undefined;
}
