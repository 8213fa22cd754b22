import type { Verb } from '../contract/contract.js';
import { longestMatch, matches } from './path-pattern.js';
import { PREFIX_MAP } from './prefix-map.js';
import type { Scope } from '../contract/scopes.js';

/** What a route is to route-auth (memory-daemon.md 5.4). */
type RouteClass = 'Public' | 'InternalReplication' | 'AdminRead' | 'AdminWrite' | 'Read' | 'Write';

export interface Classified {
  class: RouteClass;
  /** Any of these suffices; of a public route nothing is asked. */
  anyOf: readonly Scope[];
}

/**
 * Addresses of memory-daemon.md 4.1 and 4.11 that need no credential, in addition to everything below /v1/auth/.
 */
const PUBLIC = new Set([
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'POST /session',
  'POST /invocation/verify',
  'GET /v1/openapi.json',
  'GET /v1/version',
  'GET /v1/witness/smoke',
  'POST /v1/sync/handshake/nonce',
  'GET /v1/workbench/contract',
  // Ours: whoever calls signs the body (docs/integrations.md).
  'POST /v1/integrations/github/webhooks/:id',
  // Ours: this server as a witness (docs/formats/transparency-log.md).
  'POST /v1/witness/add-checkpoint',
  'GET /v1/witness/:originHash/checkpoint',
  'GET /v1/witness/checkpoint',
  'POST /v1/witness/cosignatures',
]);
/** the console; and the documentation, which contains no tenant's data. */
const PUBLIC_PATHS = ['/console*', '/docs*', '/v1/auth/*'];

/** Ours: who may synchronise is the operator's (0256). */
const PEER_PATHS = ['/v1/sync/peers', '/v1/sync/peers/*'];

/** Addresses that no row of the map covers and that are the operator's. The first is apart, as it is built. */
const ADMIN_PATHS = ['/v1/admin/append', '/v1/admin/*', '/v1/local/ingest', ...PEER_PATHS];
const REPLICATION = '/v1/internal/replication/*';

/** the class of this POST is said to be Read. */
const READS_BY_POST = new Set(['POST /v1/audit/bundle/verify']);

/**
 * The class of a route and the scopes that suffice for it.
 * @param path the template, as declared: `/v1/facts/:factId`
 * @returns undefined for what is not classified: refused under `enforce`
 */
export function classify(verb: string, path: string): Classified | undefined {
  const address = `${verb} ${path}`;
  if (PUBLIC.has(address) || longestMatch(PUBLIC_PATHS, path) !== undefined) return { class: 'Public', anyOf: [] };
  if (matches(REPLICATION, path)) return { class: 'InternalReplication', anyOf: ['replication:write'] };
  const isRead = (verb as Verb) === 'GET' || READS_BY_POST.has(address);
  if (longestMatch(ADMIN_PATHS, path) !== undefined)
    return isRead ? { class: 'AdminRead', anyOf: ['admin:read'] } : { class: 'AdminWrite', anyOf: ['admin:write'] };
  const row = rowOf(path);
  if (!row) return undefined;
  if (row.isAdmin) return isRead ? { class: 'AdminRead', anyOf: row.get } : { class: 'AdminWrite', anyOf: row.other };
  return isRead ? { class: 'Read', anyOf: row.get } : { class: 'Write', anyOf: row.other };
}

const ROWS = new Map(PREFIX_MAP.flatMap((row) => row.paths.map((path) => [path, row] as const)));

/** Every path of the classes that ask for scopes, as patterns. */
export const CLASSIFIED_PATHS: readonly string[] = [...ROWS.keys(), ...ADMIN_PATHS, REPLICATION];

function rowOf(path: string) {
  const pattern = longestMatch([...ROWS.keys()], path);
  return pattern === undefined ? undefined : ROWS.get(pattern);
}
