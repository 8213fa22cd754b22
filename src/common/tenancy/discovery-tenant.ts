/**
 * Where agents that registered themselves live until, and after, a tenant sponsors them (D15). No key, seat or session
 * is ever made in it.
 */
export const DISCOVERY_TENANT = 'svc-discovery';
