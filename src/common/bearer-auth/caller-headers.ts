import type { FastifyRequest } from 'fastify';
import { headerOf } from '../http/headers.js';
import { invalid } from '../problem/common-problems.js';

/** The headers of memory-daemon.md 5.2, as Node.js names them. */
export const PASSPORT_HEADER = 'x-svc-passport-id';
export const SCOPES_HEADER = 'x-svc-scopes';
const TENANT_HEADER = 'x-svc-tenant-id';

/** No comma: Node.js joins a header that came twice with one. */
const TENANT = /^[\x21-\x2b\x2d-\x7e]{1,120}$/;

/**
 * What X-Svc-Tenant-Id selects.
 * @throws ValidationFailed for what cannot be a tenant's name in a header
 */
export function selectedTenantIn(request: FastifyRequest): string | undefined {
  const sent = headerOf(request, TENANT_HEADER);
  if (sent === undefined || TENANT.test(sent)) return sent;
  throw invalid(
    'headers.x-svc-tenant-id',
    'is one name of 1 to 120 visible ASCII characters without a comma; name another tenant as tenant_id',
  );
}
