import type { Query } from '../../../../common/tenancy/cross-tenant.js';

/** Kinds of events that can concern a watch. */
export const WATCHED_KINDS = [
  'document.indexed',
  'document.withdrawn',
  'answer.recorded',
  'proof.completed',
  'entitlement.granted',
  'entitlement.ended',
  'tenant.deleted',
];

/**
 * Which of these events concern watches of which tenants. Of other tenants' documents those that a watch stands on, and
 * those that are shared with a tenant that watches a query; whether it may see them is decided by row-level security
 * when they are looked at.
 */
export async function findConcerned(
  query: Query,
  events: readonly { tenantId: string; eventId: string }[],
): Promise<{ tenant_id: string; owner: string; event_id: string }[]> {
  return query('select * from svc_concerned_watches($1, $2)', [
    events.map(({ tenantId }) => tenantId),
    events.map(({ eventId }) => eventId),
  ]);
}
