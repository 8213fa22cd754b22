import { MAX_TENANT_NAME } from '../keys/tenant-name.js';
import { Text } from './fields.js';

/** Longest name of an agent, in characters, wherever the tenant API is given one. */
export const MAX_AGENT_ID = 512;

/**
 * The `tenantId` a body may carry in addition to the credential (tenant-api.md 5, item 5); the caller guard compares
 * the two.
 */
export const TenantMember = () =>
  Text({
    about: 'The tenant, where the caller wants to say it; it must be the one of the credential.',
    example: 'default',
    optional: true,
    min: 1,
  });

/** The `tenant_id` of a request of the daemon. Whether there is such a tenant, guards and services say. */
export const TenantIdMember = (about: string, more: { optional?: boolean; example?: string } = {}) =>
  Text({ about, min: 1, max: MAX_TENANT_NAME, ...more });

/** The `idempotencyKey` of a body, which the idempotency interceptor reads (D9). */
export const IdempotencyKeyMember = ({ optional = false } = {}) =>
  Text({
    about: 'Key of this one effect. Equal to x-idempotency-key when both are sent, and may stand in for that header.',
    optional,
    min: 8,
    max: 255,
  });
